/// The mark in the target of a move: whose rows it takes, and how far it is. It changes in the transaction in which the rows are written.
struct MoveMark: Sendable {
    static let tables: Set<String> = [UnfinishedMove.table, UnfinishedMove.progressTable]

    private let database: any Database
    private let source: String
    private let identity: [UInt8]

    /// - Parameters:
    ///   - database: the target.
    ///   - source: as an operator names it.
    ///   - identity: of what is moved.
    init(_ database: any Database, source: String, identity: [UInt8]) {
        (self.database, self.source, self.identity) = (database, source, identity)
    }

    enum Finding: Equatable {
        /// No table at all.
        case empty
        /// Tables without a mark.
        case none
        /// Its tables have the schema, and nothing that the steps of the schema have put into them.
        case own(isPrepared: Bool)
        /// That of another move.
        case foreign(source: String)
    }

    /// - Throws: ``SQLError``.
    func look() async throws -> Finding {
        let tables = try await TableShape.listed(of: database)
        guard !tables.isEmpty else { return .empty }
        guard tables.contains(where: { $0.name == UnfinishedMove.table }) else { return .none }
        let identity = identity
        return try await database.read { connection in
            let row = try connection.one("SELECT source, identity, is_prepared FROM \(UnfinishedMove.table)")
            guard let row else { return .none }
            guard try row.blob("identity") == identity else { return .foreign(source: try row.text("source")) }
            return .own(isPrepared: try row.bool("is_prepared"))
        }
    }

    /// The first that the target gets, with the tables of steps, which a server makes first: the name of a table is given once, so that one of the two is
    /// told of the other's. In the same transaction it is seen that nothing else is there.
    /// - Returns: whether the mark is there. If not, somebody else has made something meanwhile.
    /// - Throws: ``SQLError``.
    func set() async throws -> Bool {
        do { return try await setIfEmpty() } catch SQLError.uniqueViolation, SQLError.tableMissing, SQLError.fault { return try await setIfEmpty() }
    }

    private func setIfEmpty() async throws -> Bool {
        let (dialect, source, identity) = (database.dialect, source, identity)
        return try await database.transaction { connection, _ -> Bool in
            let present = try connection.madeNames(dialect)
            guard present.isEmpty else {
                guard present.contains(UnfinishedMove.table) else { return false }
                let row = try connection.one("SELECT identity, is_prepared FROM \(UnfinishedMove.table)")
                return try row?.blob("identity") == identity && row?.bool("is_prepared") == false
            }
            for statement in Self.definitions(dialect) + StepTables.definitions(dialect, besides: []) { try connection.execute(statement) }
            try connection.execute(
                "INSERT INTO \(UnfinishedMove.table) (id, source, identity, is_prepared) VALUES (1, $1, $2, 0)", [.text(source), .blob(identity)])
            return true
        }
    }

    private static func definitions(_ d: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE \(UnfinishedMove.table) (
                id \(d.integer) NOT NULL PRIMARY KEY CHECK (id = 1), source TEXT NOT NULL, identity \(d.blob) NOT NULL, is_prepared \(d.integer) NOT NULL
            ) \(d.tableOptions)
            """,
            """
            CREATE TABLE \(UnfinishedMove.progressTable) (
                name TEXT NOT NULL PRIMARY KEY, copied \(d.integer) NOT NULL, last_key \(d.blob), is_whole \(d.integer) NOT NULL
            ) \(d.tableOptions)
            """,
        ]
    }

    /// Takes away what the steps of the schema have written; from here on what is in the tables was moved.
    /// - Parameter tables: those that others refer to before these.
    /// - Throws: ``SQLError``.
    func prepare(_ tables: [TableShape]) async throws {
        let names = tables.map(\.name)
        try await database.transaction { connection, _ -> Void in
            let row = try connection.one("SELECT is_prepared FROM \(UnfinishedMove.table)")
            guard try row?.bool("is_prepared") == false else { return }
            for name in names.reversed() { try connection.execute("DELETE FROM \"\(name)\"") }
            for name in names {
                try connection.execute(
                    "INSERT INTO \(UnfinishedMove.progressTable) (name, copied, is_whole) VALUES ($1, 0, 0)", [.text(name)])
            }
            try connection.execute("UPDATE \(UnfinishedMove.table) SET is_prepared = 1")
        }
    }

    /// How many rows are there, of all tables.
    func copied() async throws -> Int {
        try await database.read { try $0.one("SELECT COALESCE(SUM(copied), 0) AS rows FROM \(UnfinishedMove.progressTable)")?.int("rows") ?? 0 }
    }

    /// The end: it is a database like any other from here on.
    /// - Throws: ``SQLError``.
    func remove() async throws {
        try await database.transaction { connection, _ -> Void in
            for name in Self.tables.sorted() { try connection.execute("DROP TABLE IF EXISTS \(name)") }
        }
    }
}

/// How far one table is.
struct TableProgress: Equatable, Sendable {
    var copied = 0
    /// The key of the last row that is there.
    var lastKey: [SQLValue]?
    var isWhole = false

    /// - Throws: ``MoveRefusal/disturbed(_:)``, ``SQLError``.
    init(of table: String, on connection: any SQLConnection) throws {
        let row = try connection.one("SELECT copied, last_key, is_whole FROM \(UnfinishedMove.progressTable) WHERE name = $1", [.text(table)])
        guard let row else { throw MoveRefusal.disturbed(table) }
        (copied, isWhole) = (try row.int("copied"), try row.bool("is_whole"))
        guard let bytes = try row.optionalBlob("last_key") else { return }
        guard let key = ValueCoding.values(of: bytes) else { throw MoveRefusal.disturbed(table) }
        lastKey = key
    }

    func save(for table: String, on connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE \(UnfinishedMove.progressTable) SET copied = $2, last_key = $3, is_whole = $4 WHERE name = $1",
            [.text(table), SQLValue(copied), SQLValue(lastKey.map(ValueCoding.bytes)), SQLValue(isWhole)])
    }
}
