import OstiaryTesting
import Testing

@testable import Database

@Suite("What a move compares by")
struct TableDigestTests {
    private static let values: [SQLValue] = [
        .null, .integer(0), .integer(-1), .integer(.min), .integer(.max), .double(0.5), .double(-0.0), .text(""), .text("a\0b"), .text("\u{FFFE}0"),
        .text("0"), .text("\u{E4}"), .text("a\u{308}"), .blob([]), .blob([0]), .blob(Array("0".utf8)), .blob([UInt8](repeating: 7, count: 300)),
    ]

    @Test("No two values, and no two lists of them, have the same bytes, and each is read back")
    func coding() {
        var seen: Set<[UInt8]> = []
        let lists = Self.values.map { [$0] } + Self.values.flatMap { first in Self.values.map { [first, $0] } } + [[]]
        for list in lists {
            let bytes = ValueCoding.bytes(of: list)
            #expect(seen.insert(bytes).inserted)
            #expect(ValueCoding.values(of: bytes).map(ValueCoding.bytes) == bytes)
        }
        #expect(seen.count == lists.count)
    }

    @Test("A list that is cut off is not read as another of as many values, and an unknown kind is none")
    func cutOff() {
        let whole = ValueCoding.bytes(of: Self.values)
        for count in 0..<whole.count { #expect(ValueCoding.values(of: Array(whole[..<count]))?.count ?? 0 < Self.values.count) }
        #expect(ValueCoding.values(of: [5] + [UInt8](repeating: 0, count: 8)) == nil)
        #expect(ValueCoding.values(of: [4] + [UInt8](repeating: 0xFF, count: 8)) == nil)
        #expect(ValueCoding.values(of: whole + [3]) == nil)
    }

    private let table = TableShape(name: "item", columns: ["name", "number"], key: ["name"], isCounted: false)

    private func digest(_ rows: [(String, Int64)], of table: TableShape? = nil) -> TableDigest {
        var hash = RowHash(table ?? self.table)
        for (name, number) in rows { hash.add([.text(name), .integer(number)]) }
        return hash.finish()
    }

    @Test("Two tables have one hash when they have the same rows; only those may come in another order whose keys the engines order otherwise")
    func order() {
        let whole = digest([("a", 1), ("b\0", 2), ("\u{FFFE}", 3), ("c", 4)])
        #expect(digest([("a", 1), ("c", 4), ("\u{FFFE}", 3), ("b\0", 2)]) == whole)
        let others = [
            digest([("c", 4), ("a", 1), ("b\0", 2), ("\u{FFFE}", 3)]), digest([("a", 1), ("b\0", 3), ("\u{FFFE}", 2), ("c", 4)]),
            digest([("a", 1), ("b\0", 2), ("c", 4)]), digest([("a", 1), ("b\0", 2), ("b\0", 2), ("\u{FFFE}", 3), ("c", 4)]),
            digest([("a", 1), ("b\0", 2), ("\u{FFFE}", 3), ("c", 5)]), digest([]),
            digest(
                [("a", 1), ("b\0", 2), ("\u{FFFE}", 3), ("c", 4)],
                of: TableShape(name: "other", columns: ["name", "number"], key: ["name"], isCounted: false)),
        ]
        for other in others { #expect(other.hash != whole.hash) }
        #expect(Set(others.map(\.hash)).count == others.count)
    }

    @Test("Tables come behind those that they refer to, whatever their names; a ring is refused")
    func references() throws {
        let tables = ["a", "b", "c", "d"].map { TableShape(name: $0, columns: ["id"], key: ["id"], isCounted: false) }
        let order = try TableShape.ordered(tables, [(from: "a", to: "d"), (from: "d", to: "c"), (from: "b", to: "c")]).map(\.name)
        #expect(order == ["c", "b", "d", "a"])
        #expect(throws: MoveRefusal.circular(["a", "d"])) { try TableShape.ordered(tables, [(from: "a", to: "d"), (from: "d", to: "a")]) }
        #expect(throws: MoveRefusal.circular(["b"])) { try TableShape.ordered(tables, [(from: "b", to: "b")]) }
    }
}
