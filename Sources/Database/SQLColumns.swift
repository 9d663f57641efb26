import Foundation

/// The column names of a prepared statement, resolved once and shared by all rows of its answers.
///
/// A login reads some thousand values by name. Names are literals of ours, few and short, so their place is told by three of their bytes and their
/// length; a hash that withstands chosen names would cost more than all else that is done with a value.
final class SQLColumns: Sendable {
    let names: [String]
    /// The bytes of each name.
    private let bytes: [[UInt8]]
    /// Places in ``names``, each at or behind the slot where its name begins to be looked for; -1 where none is. At least half are empty.
    private let slots: [Int]

    init(names: [String]) {
        self.names = names
        bytes = names.map { Array($0.utf8) }
        var size = 8
        while size < 2 * names.count { size *= 2 }
        var slots = Array(repeating: -1, count: size)
        for (place, name) in bytes.enumerated() {
            var slot = name.withUnsafeBufferPointer { Self.start(of: $0, among: size) }
            while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = place
        }
        self.slots = slots
    }

    /// Of two columns with one name the first counts.
    func place(of name: StaticString) -> Int? {
        name.withUTF8Buffer { name in
            var slot = Self.start(of: name, among: slots.count)
            while slots[slot] >= 0 {
                if Self.equal(bytes[slots[slot]], name) { return slots[slot] }
                slot = (slot + 1) & (slots.count - 1)
            }
            return nil
        }
    }

    private static func equal(_ left: [UInt8], _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        guard left.count == right.count, let start = right.baseAddress else { return left.isEmpty && right.isEmpty }
        return left.withUnsafeBytes { memcmp($0.baseAddress!, start, right.count) == 0 }
    }

    /// - Parameter size: a power of two.
    private static func start(of name: UnsafeBufferPointer<UInt8>, among size: Int) -> Int {
        guard let first = name.first, let last = name.last else { return 0 }
        return (Int(first) &* 31 &+ Int(name[name.count / 2]) &* 7 &+ Int(last) &* 3 &+ name.count) & (size - 1)
    }
}
