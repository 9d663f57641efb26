import Database

extension PostgreSQLDatabase {
    /// Lends a database of the caller's own: an empty one, or one like another.
    package static func lend<Value>(
        like template: String = "template1", settings: PostgreSQLSettings = .forTests, _ body: (PostgreSQLDatabase) async throws -> Value
    ) async throws -> Value {
        try await lend(like: template, settings: settings, to: 1) { try await body($0[0]) }
    }

    /// The same to several who come to it by connections of their own.
    /// - Parameter sockets: by which the first of them come.
    package static func lend<Value>(
        like template: String = "template1", settings: PostgreSQLSettings = .forTests, to count: Int, through sockets: [CuttingSocket] = [],
        _ body: ([PostgreSQLDatabase]) async throws -> Value
    ) async throws -> Value {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase(like: template)
        defer { cluster.leave(name) }
        var databases: [PostgreSQLDatabase] = []
        do {
            for number in 0..<count {
                let socket = number < sockets.count ? sockets[number].socketFolder : nil
                databases.append(try await cluster.open(name, through: socket, settings: settings))
            }
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

    /// A database that is found wherever its server is, also when that is replaced.
    package func openAnywhere(_ database: String) async throws -> PostgreSQLDatabase {
        let hosts = folders.map { PostgreSQLAddress.Host($0) }
        let address = PostgreSQLAddress(hosts: hosts, database: database, user: "ostiary")
        return try await onOwnThread { try PostgreSQLDatabase.open(address, settings: .forTests) }
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
