import Database
import Foundation

/// Databases that have every step of a schema, in memory, in a file or on PostgreSQL. The steps are taken once in a process for each, in memory and on
/// PostgreSQL over a database that runs each of them twice and loses each commit once; then they are copied, which takes less than a hundredth of the time.
package final class SchemaTemplate: Sendable {
    private let inMemory: Once<SQLiteDatabase>
    /// What is in a file that was closed.
    private let inFile: Once<Data>
    /// The name of one that nobody has open.
    private let inCluster: Once<String>

    /// - Parameter report: told of each step that did something else the second time.
    package init(_ migrations: [Migration], report: @Sendable @escaping (RerunDifference) -> Void) {
        let migrate = { @Sendable (database: any Database) async throws in
            try await LosingDatabase(RerunningDatabase(database, report: report), .drawn(1)).migrate(migrations)
        }
        inMemory = Once {
            let database = try SQLiteDatabase.inMemory()
            try await migrate(database)
            return database
        }
        inFile = Once {
            let folder = try TemporaryFolder()
            let database = try SQLiteDatabase.open(path: folder.file("schema.sqlite"), readers: 1)
            try await database.migrate(migrations)
            try await database.close()
            return try Data(contentsOf: folder.url.appendingPathComponent("schema.sqlite"))
        }
        inCluster = Once {
            let cluster = try await PostgreSQLCluster.shared
            let name = try await cluster.makeDatabase()
            let database = try await cluster.open(name)
            try await migrate(database)
            await database.close()
            return name
        }
    }

    /// A database in memory, of the caller's own.
    /// - Throws: what the steps threw, and `DatabaseOpenError`.
    package func database() async throws -> SQLiteDatabase { try SQLiteDatabase.inMemory(copying: try await inMemory.value) }

    /// A database in a file of the caller's own, which is not there yet.
    /// - Throws: what the steps threw, `DatabaseOpenError`, and what writing the file throws.
    package func file(_ path: String, readers: Int = ProcessInfo.processInfo.activeProcessorCount) async throws -> SQLiteDatabase {
        try await inFile.value.write(to: URL(fileURLWithPath: path), options: .withoutOverwriting)
        return try SQLiteDatabase.open(path: path, readers: readers)
    }

    /// A database of the caller's own, of the engine that the test runs on (``DatabaseEngine/current``).
    /// - Throws: what the steps threw, and `DatabaseOpenError`.
    package func ofEngine() async throws -> any Database {
        guard let run = EngineRun.current else { return try await database() }
        return try await run.open(try await makePostgreSQL())
    }

    /// Lends a database of PostgreSQL.
    /// - Throws: what the steps threw, and what `body` throws.
    package func withPostgreSQL<Value>(_ body: (PostgreSQLDatabase) async throws -> Value) async throws -> Value {
        try await PostgreSQLDatabase.lend(like: try await inCluster.value, body)
    }

    /// Lends a database of PostgreSQL to several who come to it by connections of their own, as nodes do.
    /// - Parameter sockets: by which the first of them come.
    /// - Throws: what the steps threw, and what `body` throws.
    package func withPostgreSQL<Value>(
        _ count: Int, through sockets: [CuttingSocket] = [], _ body: ([PostgreSQLDatabase]) async throws -> Value
    ) async throws -> Value {
        try await PostgreSQLDatabase.lend(like: try await inCluster.value, to: count, through: sockets, body)
    }

    /// Makes a database of PostgreSQL that the caller leaves (``PostgreSQLCluster/leave(_:)``), for lives of a server that follow each other on it.
    package func makePostgreSQL() async throws -> String {
        try await PostgreSQLCluster.shared.makeDatabase(like: try await inCluster.value)
    }
}

/// What is made when somebody asks for it first.
private actor Once<Value: Sendable> {
    private let make: @Sendable () async throws -> Value
    private var made: Task<Value, any Error>?

    init(_ make: @Sendable @escaping () async throws -> Value) { self.make = make }

    var value: Value {
        get async throws {
            let task = made ?? Task { [make] in try await make() }
            made = task
            return try await task.value
        }
    }
}
