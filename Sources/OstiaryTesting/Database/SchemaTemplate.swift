import Database

/// Databases in memory that have every step of a schema. The steps are taken once, over a database that runs each of them twice and loses each commit
/// once; then they are copied, which takes less than a hundredth of the time.
package actor SchemaTemplate {
    private let migrations: [Migration]
    private let report: @Sendable (RerunDifference) -> Void
    private var made: Task<SQLiteDatabase, any Error>?

    /// - Parameter report: told of each step that did something else the second time.
    package init(_ migrations: [Migration], report: @Sendable @escaping (RerunDifference) -> Void) {
        self.migrations = migrations
        self.report = report
    }

    /// A database of the caller's own.
    /// - Throws: what the steps threw, and `DatabaseOpenError`.
    package func database() async throws -> SQLiteDatabase {
        let task =
            made
            ?? Task { [migrations, report] in
                let database = try SQLiteDatabase.inMemory()
                try await LosingDatabase(RerunningDatabase(database, report: report), .drawn(1)).migrate(migrations)
                return database
            }
        made = task
        return try SQLiteDatabase.inMemory(copying: try await task.value)
    }
}
