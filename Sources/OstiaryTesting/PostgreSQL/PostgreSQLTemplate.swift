import Database

/// Databases of PostgreSQL that have every step of a schema. The steps are taken once in a process, over a database that runs each of them twice and loses
/// each commit once; then they are copied.
package actor PostgreSQLTemplate {
    private let migrations: [Migration]
    private let report: @Sendable (RerunDifference) -> Void
    private var made: Task<String, any Error>?

    /// - Parameter report: told of each step that did something else the second time.
    package init(_ migrations: [Migration], report: @Sendable @escaping (RerunDifference) -> Void) {
        self.migrations = migrations
        self.report = report
    }

    /// Lends a database of the caller's own.
    /// - Throws: what the steps threw, and what `body` throws.
    package nonisolated func withDatabase<Value>(_ body: (PostgreSQLDatabase) async throws -> Value) async throws -> Value {
        let template = try await template()
        return try await PostgreSQLDatabase.lend(like: template, body)
    }

    /// Lends a database of the caller's own to several who come to it by connections of their own, as nodes do.
    /// - Throws: what the steps threw, and what `body` throws.
    package nonisolated func withDatabases<Value>(_ count: Int, _ body: ([PostgreSQLDatabase]) async throws -> Value) async throws -> Value {
        let template = try await template()
        return try await PostgreSQLDatabase.lend(like: template, to: count, body)
    }

    /// Makes a database that the caller leaves (``PostgreSQLCluster/leave(_:)``), for lives of a server that follow each other on it.
    package nonisolated func makeDatabase() async throws -> String {
        let template = try await template()
        return try await PostgreSQLCluster.shared.makeDatabase(like: template)
    }

    private func template() async throws -> String {
        let task =
            made
            ?? Task { [migrations, report] in
                let cluster = try await PostgreSQLCluster.shared
                let name = try await cluster.makeDatabase()
                let database = try await cluster.open(name)
                try await LosingDatabase(RerunningDatabase(database, report: report), .drawn(1)).migrate(migrations)
                await database.close()
                return name
            }
        made = task
        return try await task.value
    }
}

extension PostgreSQLDatabase {
    /// Lends a database of the caller's own: an empty one, or one like another.
    package static func lend<Value>(
        like template: String = "template1", settings: PostgreSQLSettings = .forTests, _ body: (PostgreSQLDatabase) async throws -> Value
    ) async throws -> Value {
        try await lend(like: template, settings: settings, to: 1) { try await body($0[0]) }
    }

    /// The same to several who come to it by connections of their own.
    package static func lend<Value>(
        like template: String = "template1", settings: PostgreSQLSettings = .forTests, to count: Int,
        _ body: ([PostgreSQLDatabase]) async throws -> Value
    ) async throws -> Value {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase(like: template)
        defer { cluster.leave(name) }
        var databases: [PostgreSQLDatabase] = []
        do {
            for _ in 0..<count { databases.append(try await cluster.open(name, settings: settings)) }
            let value = try await body(databases)
            for database in databases { await database.close() }
            return value
        } catch {
            for database in databases { await database.close() }
            throw error
        }
    }
}

extension PostgreSQLCluster {
    /// - Parameter socket: the folder of another socket that leads there.
    package func open(
        _ database: String, through socket: String? = nil, settings: PostgreSQLSettings = .forTests
    ) async throws -> PostgreSQLDatabase {
        let address = address(of: database, socket: socket)
        return try await onOwnThread { try PostgreSQLDatabase.open(address, settings: settings) }
    }
}

extension PostgreSQLSettings {
    /// Patient with a busy machine, and few connections for each of many tests at once.
    package static var forTests: PostgreSQLSettings {
        var settings = PostgreSQLSettings()
        (settings.connections, settings.statementTimeout, settings.lockTimeout, settings.silence) = (6, 60_000, 60_000, 90_000)
        (settings.connectTimeout, settings.callTime, settings.patientCommit, settings.idleTimeout) = (30_000, 120_000, 90_000, 90_000)
        settings.retry.mostRuns = 200
        return settings
    }
}
