/// One step of the schema: a number, a name, statements, and what is done with rows that no statement can do. Steps only add, and take away what nothing
/// reads any more; a step that was released is never edited.
package struct Migration: Sendable {
    package let number: Int
    package let name: String
    package let statements: @Sendable (SQLDialect) -> [String]
    /// Goes over rows after the statements, in their transaction.
    package let rows: (@Sendable (any SQLConnection) throws -> Void)?

    package init(
        _ number: Int, _ name: String, statements: @Sendable @escaping (SQLDialect) -> [String],
        rows: (@Sendable (any SQLConnection) throws -> Void)? = nil
    ) {
        self.number = number
        self.name = name
        self.statements = statements
        self.rows = rows
    }
}

extension Database {
    /// Brings the schema up to the last of `migrations`. Each step commits by itself, so an interrupted run goes on where it stopped. What a step that
    /// goes over rows has replaced stays in none of the engine's files.
    /// - Parameter migrations: all that this program knows; they are applied in the order of their numbers.
    /// - Throws: ``DatabaseOpenError/newerThanProgram(version:)``, ``DatabaseOpenError/olderBesideServer(version:)``,
    ///   ``DatabaseOpenError/foreignMigration(number:expected:found:)``, ``SQLError``.
    package func migrate(_ migrations: [Migration]) async throws {
        let migrations = migrations.sorted { $0.number < $1.number }
        let dialect = dialect
        try await beginSchema()
        // Before the numbers are compared: those of another program say nothing about this one.
        try await read { connection in for migration in migrations { _ = try isApplied(migration, on: connection) } }
        let known = migrations.last?.number ?? 0
        let newest = try await schemaVersion()
        guard newest <= known else { throw DatabaseOpenError.newerThanProgram(version: newest) }
        // It would go on writing what the new tables no longer mean.
        guard newest == known || !hasServerBeside else { throw DatabaseOpenError.olderBesideServer(version: newest) }
        let patient = patient
        for migration in migrations {
            try await patient.transaction { connection, _ in try apply(migration, on: connection, dialect: dialect) }
        }
        // A new one has nothing to forget.
        if newest > 0, migrations.contains(where: { $0.number > newest && $0.rows != nil }) { try await purge() }
    }

    /// Makes the table in which the steps are counted, if there is none: the first that a database of ours holds.
    /// - Throws: ``SQLError``.
    package func beginSchema() async throws {
        let dialect = dialect
        try await transaction { connection, _ in
            try connection.execute(
                """
                CREATE TABLE IF NOT EXISTS schema_version (
                    number \(dialect.integer) NOT NULL PRIMARY KEY,
                    name TEXT NOT NULL
                ) \(dialect.tableOptions)
                """)
        }
    }

    /// The number of the last migration that was applied, 0 for none. The table of versions must be there.
    package func schemaVersion() async throws -> Int {
        try await read { try $0.one("SELECT COALESCE(MAX(number), 0) AS newest FROM schema_version")?.int("newest") ?? 0 }
    }
}

private func isApplied(_ migration: Migration, on connection: any SQLConnection) throws -> Bool {
    guard let row = try connection.one("SELECT name FROM schema_version WHERE number = $1", [SQLValue(migration.number)]) else { return false }
    let found = try row.text("name")
    guard found == migration.name else {
        throw DatabaseOpenError.foreignMigration(number: migration.number, expected: migration.name, found: found)
    }
    return true
}

/// Applies one step, unless it was applied before.
private func apply(_ migration: Migration, on connection: any SQLConnection, dialect: SQLDialect) throws {
    if let lock = dialect.stepLock { try connection.execute(lock) }
    guard try !isApplied(migration, on: connection) else { return }
    for statement in migration.statements(dialect) {
        try connection.execute(statement)
    }
    try migration.rows?(connection)
    try connection.execute(
        "INSERT INTO schema_version (number, name) VALUES ($1, $2)", [SQLValue(migration.number), .text(migration.name)])
}
