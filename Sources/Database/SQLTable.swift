import Synchronization

/// How rows of one table are saved: added, put in the place of a former self that nobody has read, or changed where they differ from the one that was.
package struct SQLTable: Sendable {
    package let name: String
    /// All columns that are saved, those of the key first.
    package let columns: [String]
    /// How many columns the key has: those of the primary key or of a unique index.
    private let keyCount: Int
    /// The beginning of a statement that reads rows of this table only: what follows is its condition.
    package let selection: String
    private let upsert: String
    private let insert: String
    private let updates = UpdateTexts()

    package init(_ name: String, key: [String], columns others: [String]) {
        self.name = name
        columns = key + others
        precondition(columns.count <= UInt64.bitWidth, "changed columns are counted in one word")
        keyCount = key.count
        selection = "SELECT \(columns.joined(separator: ", ")) FROM \(name) "
        func places(_ count: Int) -> String { (0..<count).map { "$\($0 + 1)" }.joined(separator: ", ") }
        let updates = others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        upsert = """
            INSERT INTO \(name) (\(columns.joined(separator: ", "))) VALUES (\(places(columns.count)))
            ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET \(updates)
            """
        insert = """
            INSERT INTO \(name) (\(others.joined(separator: ", "))) VALUES (\(places(others.count)))
            """
    }

    /// The columns as a statement lists them, each behind `prefix`. It is made anew each time: for constants.
    package func list(_ prefix: String) -> String {
        columns.map { prefix + $0 }.joined(separator: ", ")
    }

    /// Adds a row whose key the engine counts up.
    /// - Parameter values: one for each of ``columns``; those of the key count for nothing.
    package func add(_ values: [SQLValue], on connection: any SQLConnection) throws {
        try connection.write(insert, Array(values.dropFirst(keyCount)))
    }

    /// - Parameters:
    ///   - values: one for each of ``columns``.
    ///   - former: the values of the row as this transaction knows it to be now; then only what differs is written, and nothing if nothing does.
    /// - Throws: ``SQLError``, `rowGone` when there is no such row to be changed.
    package func save(_ values: [SQLValue], over former: [SQLValue]? = nil, on connection: any SQLConnection) throws {
        guard let former else {
            try connection.write(upsert, values)
            return
        }
        let changed = values.indices.filter { values[$0] != former[$0] }
        guard !changed.isEmpty else { return }
        let key = values.indices.prefix(keyCount)
        try connection.write(updates.text(of: changed, orMake: update), (changed + key).map { values[$0] }, changing: 1, of: name)
    }

    /// ``save(_:over:on:)`` on one connection.
    package func saver(on connection: any SQLConnection) -> (_ values: [SQLValue], _ former: [SQLValue]?) throws -> Void {
        { values, former in try save(values, over: former, on: connection) }
    }

    private func update(_ changed: [Int]) -> String {
        let settings = changed.enumerated().map { "\(columns[$1]) = $\($0 + 1)" }.joined(separator: ", ")
        let condition = (0..<keyCount).map { "\(columns[$0]) = $\(changed.count + $0 + 1)" }.joined(separator: " AND ")
        return "UPDATE \(name) SET \(settings) WHERE \(condition)"
    }
}

/// The texts of a table's `UPDATE`, one for each set of columns that has changed: few, because each is a way through the code.
private final class UpdateTexts: Sendable {
    private let texts = Mutex<[UInt64: String]>([:])

    func text(of changed: [Int], orMake make: ([Int]) -> String) -> String {
        let set = changed.reduce(into: UInt64(0)) { $0 |= 1 << UInt64($1) }
        return texts.withLock { texts in
            if let text = texts[set] { return text }
            let text = make(changed)
            texts[set] = text
            return text
        }
    }
}
