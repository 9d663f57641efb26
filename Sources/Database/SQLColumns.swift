/// The column names of a prepared statement, resolved once and shared by all rows of its answers.
///
/// A login reads some thousand values by name. Names are ours, few and short, so their place is told by three of their bytes and their length; a hash
/// that withstands chosen names would cost more than all else that is done with a value.
final class SQLColumns: Sendable {
    let names: [String]
    /// Places in ``names``, each at or behind the slot where its name begins to be looked for; -1 where none is. At least half are empty.
    private let slots: [Int]

    init(names: [String]) {
        self.names = names
        var size = 8
        while size < 2 * names.count { size *= 2 }
        var slots = Array(repeating: -1, count: size)
        for (place, name) in names.enumerated() {
            var slot = Self.start(of: name, among: size)
            while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = place
        }
        self.slots = slots
    }

    /// Of two columns with one name the first counts.
    func place(of name: String) -> Int? {
        var slot = Self.start(of: name, among: slots.count)
        while slots[slot] >= 0 {
            if names[slots[slot]] == name { return slots[slot] }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// - Parameter size: a power of two.
    private static func start(of name: String, among size: Int) -> Int {
        let bytes = name.utf8
        guard let first = bytes.first, let last = bytes.last else { return 0 }
        let middle = bytes[bytes.index(bytes.startIndex, offsetBy: bytes.count / 2)]
        return (Int(first) &* 31 &+ Int(middle) &* 7 &+ Int(last) &* 3 &+ bytes.count) & (size - 1)
    }
}
