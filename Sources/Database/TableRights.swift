/// What a role may do with the rows of a table.
enum TableRight: String, CaseIterable, Sendable {
    case select = "SELECT"
    case insert = "INSERT"
    case update = "UPDATE"
    case delete = "DELETE"

    /// Under which name the catalogue answers it (``SQLCatalogue/tables``).
    fileprivate var column: StaticString {
        switch self {
        case .select: "may_select"
        case .insert: "may_insert"
        case .update: "may_update"
        case .delete: "may_delete"
        }
    }
}

/// A table that is there, as the catalogue tells.
struct TableStanding: Sendable {
    let name: String
    /// Whether its rows are in it: what a view shows has its indexes elsewhere.
    let isOwn: Bool
    let rights: Set<TableRight>

    init(_ row: SQLRow) throws {
        (name, isOwn) = (try row.text("name"), try row.bool("is_own"))
        rights = Set(try TableRight.allCases.filter { try row.bool($0.column) })
    }
}

extension Database {
    /// Whether the disk takes what is written, all tables and indexes are there, and the role of this program may do with them what it does: what a server's
    /// readiness says of its storage.
    /// - Throws: ``Unreachable``; what ``checkWritable(_:)`` and ``check(_:)`` throw.
    package func checkStorage(of tables: SchemaTables) async throws {
        try await tellingWhy {
            try await checkWritable(tables.written)
            try await check(tables)
        }
    }

    /// Whether the role may use the schema, every table is there that the steps which were taken have made, the role may do with the rows of each what our
    /// statements do, and what the steps have made on it is there, too. Nothing is written, and no table is read but that of the steps: it is asked of the
    /// catalogue, for our tables by their names.
    /// - Throws: ``SQLError/tableMissing(path:name:)`` and ``SQLError/notAllowed(path:reason:)`` with the first table of which it is so,
    ///   ``SQLError/indexMissing(path:lacking:)`` with all that are gone, ``SQLError``.
    package func check(_ tables: SchemaTables) async throws {
        let (dialect, place) = (dialect, place)
        let names = SQLValue.text(tables.names.sorted().joined(separator: ","))
        let (taken, found, lacking) = try await read { connection -> (Set<Int>, [TableStanding], [String]) in
            // First, since what is not seen would be told as gone.
            if let lack = try dialect.catalogue.lackOfSchema(on: connection, at: place) { throw lack }
            let taken = Set(try connection.query("SELECT number FROM schema_version").map { try $0.int("number") })
            let found = try connection.query(dialect.catalogue.tables, [names]).map(TableStanding.init)
            let elsewhere = Set(found.filter { !$0.isOwn }.map(\.name))
            let indexes = tables.indexes(after: taken, dialect)?.without(elsewhere)
            return (taken, found, try indexes?.lacking(on: connection, dialect.catalogue) ?? [])
        }
        // Before what lies on it, which is gone, too.
        if let gone = tables.missing(among: found, after: taken).first { throw SQLError.tableMissing(path: place, name: gone) }
        if let lack = tables.lack(in: found) {
            let rights = lack.rights.map(\.rawValue).joined(separator: ", ")
            throw SQLError.notAllowed(path: place, reason: "it lacks \(rights) on the table \(lack.table)")
        }
        guard lacking.isEmpty else { throw SQLError.indexMissing(path: place, lacking: lacking) }
    }
}

extension SQLCatalogue {
    /// That the role may not use the schema of our tables, with its name; nil where it may, and where there are none.
    func lackOfSchema(on connection: any SQLConnection, at place: String) throws -> SQLError? {
        guard let closedSchema, let row = try connection.one(closedSchema) else { return nil }
        return .notAllowed(path: place, reason: "\(SQLError.lackOfUsage)\(try row.text("name"))")
    }
}
