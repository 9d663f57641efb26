/// A table as its engine describes it: what it is called, its columns, and by which of them its rows are found.
struct TableShape: Hashable, Sendable {
    let name: String
    let columns: [String]
    /// Those of the primary key, in its order.
    let key: [String]
    /// Whether the engine counts the key up itself.
    let isCounted: Bool

    /// Where the key stands among the columns.
    var keyPlaces: [Int] { key.compactMap(columns.firstIndex) }
}

extension TableShape {
    /// All tables of a database, by their names.
    /// - Throws: ``SQLError``.
    static func listed(of database: any Database) async throws -> [TableShape] {
        let question = database.dialect.catalogue.columns
        let columns = try await database.read { connection in
            try connection.query(question).map { row in
                Column(
                    table: try row.text("table_name"), name: try row.text("column_name"), place: try row.int("key_place"),
                    isCounted: try row.bool("is_counted"))
            }
        }
        return Dictionary(grouping: columns, by: \.table).map { name, columns in
            TableShape(
                name: name, columns: columns.map(\.name),
                key: columns.filter { $0.place > 0 }.sorted { $0.place < $1.place }.map(\.name), isCounted: columns.contains(where: \.isCounted))
        }.sorted { $0.name < $1.name }
    }

    private struct Column: Sendable {
        let table: String
        let name: String
        let place: Int
        let isCounted: Bool
    }

    /// All tables of a database, those that others refer to before these.
    /// - Throws: ``MoveRefusal/noKey(_:)``, ``MoveRefusal/circular(_:)``, ``SQLError``.
    static func inOrder(of database: any Database) async throws -> [TableShape] {
        let question = database.dialect.catalogue.references
        let references = try await database.read { connection in
            try connection.query(question).map { (try $0.text("table_name"), try $0.text("referred")) }
        }
        let tables = try await listed(of: database)
        if let keyless = tables.first(where: \.key.isEmpty) { throw MoveRefusal.noKey(keyless.name) }
        return try ordered(tables, references)
    }

    /// - Parameter references: from one table to another.
    static func ordered(_ tables: [TableShape], _ references: [(from: String, to: String)]) throws(MoveRefusal) -> [TableShape] {
        var (rest, order): ([TableShape], [TableShape]) = (tables, [])
        while !rest.isEmpty {
            let waiting = Set(references.filter { reference in rest.contains { $0.name == reference.to } }.map(\.from))
            let ready = rest.filter { !waiting.contains($0.name) }
            guard !ready.isEmpty else { throw .circular(rest.map(\.name)) }
            order += ready
            rest.removeAll { !waiting.contains($0.name) }
        }
        return order
    }
}
