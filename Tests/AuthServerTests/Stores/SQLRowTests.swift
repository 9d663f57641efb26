import Database
import Testing

@testable import AuthServer

@Suite("Numbers of rows, in the types that they are asked in")
struct SQLRowTests {
    private enum Colour: UInt8 {
        case red = 1
        case blue = 255
    }

    private func row() async throws -> SQLRow {
        let sql = """
            SELECT 1 AS one, 2 AS two, -1 AS minus, 255 AS byte, 256 AS more, 4294967295 AS most, 4294967296 AS beyond, 'x' AS text, NULL AS absent
            """
        return try #require(try await SQLiteDatabase.inMemory().read { try $0.one(sql) })
    }

    @Test("A number is read in each type that holds it, and is an error in any other, never another number")
    func numbers() async throws {
        let row = try await row()
        #expect(try row.number("byte", as: UInt8.self) == 255 && row.number("most", as: UInt32.self) == .max)
        #expect(try row.number("beyond", as: UInt64.self) == 4_294_967_296 && row.number("minus", as: Int.self) == -1)
        #expect(try row.optionalNumber("byte", as: UInt8.self) == 255 && row.optionalNumber("absent", as: UInt8.self) == nil)
        #expect(throws: SQLError.outOfRange("more")) { try row.number("more", as: UInt8.self) }
        #expect(throws: SQLError.outOfRange("more")) { try row.optionalNumber("more", as: UInt8.self) }
        #expect(throws: SQLError.outOfRange("beyond")) { try row.number("beyond", as: UInt32.self) }
        #expect(throws: SQLError.outOfRange("minus")) { try row.number("minus", as: UInt64.self) }
        #expect(throws: SQLError.wrongKind(column: "absent", expected: .integer, found: .null)) { try row.number("absent", as: UInt8.self) }
        #expect(throws: SQLError.wrongKind(column: "text", expected: .integer, found: .text)) { try row.optionalNumber("text", as: UInt8.self) }
        #expect(throws: SQLError.noSuchColumn("three")) { try row.optionalNumber("three", as: UInt8.self) }
    }

    @Test("What is stored as a number is one of those that there are, or an error")
    func choices() async throws {
        let row = try await row()
        #expect(try row.choice("one", as: Colour.self) == .red && row.choice("byte", as: Colour.self) == .blue)
        #expect(try row.optionalChoice("one", as: Colour.self) == .red && row.optionalChoice("absent", as: Colour.self) == nil)
        for column in ["two", "more", "minus"] as [StaticString] {
            #expect(throws: SQLError.outOfRange(column.description)) { try row.choice(column, as: Colour.self) }
            #expect(throws: SQLError.outOfRange(column.description)) { try row.optionalChoice(column, as: Colour.self) }
        }
        #expect(throws: SQLError.wrongKind(column: "absent", expected: .integer, found: .null)) { try row.choice("absent", as: Colour.self) }
        #expect(throws: SQLError.wrongKind(column: "text", expected: .integer, found: .text)) { try row.optionalChoice("text", as: Colour.self) }
    }
}
