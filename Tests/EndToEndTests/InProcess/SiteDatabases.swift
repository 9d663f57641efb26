import Database
import Foundation
import OstiaryTesting
import Synchronization
import Testing

@testable import ostiary

/// The databases of a site, of the engine that its test runs on, and the copies that an operator made of them: files in a folder of the test's, or databases of
/// PostgreSQL, which go with this object.
final class SiteDatabases: Sendable {
    typealias Server = ServersSite.Server
    typealias Copy = ServersSite.Copy

    /// Both, as their servers have them.
    struct Opened: Sendable {
        let authentication: any Database
        let secondFactor: any Database

        func close() async throws {
            try await authentication.close()
            try await secondFactor.close()
        }
    }

    private struct There: Sendable {
        var cluster: PostgreSQLCluster?
        var names: [Server: String] = [:]
    }

    /// Where files are.
    private let folder: String
    private let engine: DatabaseEngine
    private let there: Mutex<There>

    /// Of the engine that the test runs on; they are made when they are opened first, with the schema of today: its steps one by one are for real processes,
    /// which begin with nothing, and for what earlier programs left.
    /// - Parameter folder: may hold files of before.
    init(in folder: String) {
        (self.folder, engine) = (folder, DatabaseEngine.current)
        there = Mutex(There())
    }

    /// Of PostgreSQL, with what somebody put there.
    init(named names: [Server: String], of cluster: PostgreSQLCluster, in folder: String) {
        (self.folder, engine) = (folder, DatabaseEngine.postgresql)
        there = Mutex(There(cluster: cluster, names: names))
    }

    deinit {
        there.withLock { there in
            for name in there.names.values { there.cluster?.leave(name) }
        }
    }

    func open() async throws -> Opened {
        Opened(authentication: try await open(.authentication), secondFactor: try await open(.secondFactor))
    }

    private func open(_ server: Server) async throws -> any Database {
        guard engine == .postgresql else { return try await openFile(of: server) }
        let cluster = try await PostgreSQLCluster.shared
        if let name = name(of: server) { return try await cluster.open(name) }
        let made = try await server.template.makePostgreSQL()
        set(made, for: server, of: cluster)
        return try await cluster.open(made)
    }

    private func openFile(of server: Server) async throws -> SQLiteDatabase {
        let path = file(of: server)
        guard !FileManager.default.fileExists(atPath: path) else { return try SQLiteDatabase.open(path: path) }
        return try await server.template.file(path)
    }

    private func name(of server: Server) -> String? { there.withLock { $0.names[server] } }

    /// - Returns: the name of the one before.
    @discardableResult
    private func set(_ name: String, for server: Server, of cluster: PostgreSQLCluster) -> String? {
        there.withLock { there in
            there.cluster = cluster
            return there.names.updateValue(name, forKey: server)
        }
    }

    func file(of server: Server) -> String { "\(folder)/\(server.rawValue).sqlite" }

    private func backup(of server: Server, _ name: String) -> String { "\(folder)/backup-\(name)-\(server.rawValue).sqlite" }
    private func dump(of server: Server, _ name: String) -> String { "\(folder)/backup-\(name)-\(server.rawValue).sql" }

    /// Those of PostgreSQL as they are now, while no server has them, for files that were copied into another folder.
    /// - Parameter absent: whose database is put back there, so that nobody has what it is now.
    func copied(in other: String, without absent: Server) async throws -> SiteDatabases {
        guard engine == .postgresql else { return SiteDatabases(in: other) }
        let cluster = try await PostgreSQLCluster.shared
        let copies = SiteDatabases(named: [:], of: cluster, in: other)
        for server in Server.allCases where server != absent {
            guard let former = name(of: server) else { continue }
            copies.set(try await cluster.makeDatabase(like: former), for: server, of: cluster)
        }
        return copies
    }
}

// MARK: Copies

extension SiteDatabases {
    /// Copies the database of a server as it is now, while nobody asks the server anything.
    /// - Parameters:
    ///   - wanted: nil for the usual way of the engine.
    ///   - name: of the copy, where there are several.
    func backUp(_ server: Server, as wanted: Copy?, named name: String) async throws {
        let (engine, known) = (engine, self.name(of: server))
        let way: Copy = wanted ?? (engine == .postgresql ? Copy.dump : Copy.log)
        #expect(way.engine == engine)
        if way == .fileAlone { try await fold(server) }
        guard way == .dump else { return try copyFiles(of: server, to: backup(of: server, name), way.parts) }
        try await PostgreSQLCluster.shared.dump(try #require(known), to: dump(of: server, name))
    }

    private func copyFiles(of server: Server, to backup: String, _ parts: [String]) throws {
        for part in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: backup + part) }
        for part in parts where FileManager.default.fileExists(atPath: file(of: server) + part) {
            try FileManager.default.copyItem(atPath: file(of: server) + part, toPath: backup + part)
        }
    }

    /// Writes what is in the log into the file, as the server does it by itself now and then.
    private func fold(_ server: Server) async throws {
        let database = try SQLiteDatabase.open(path: file(of: server), ownership: .shared)
        try await database.purge()
        try await database.close()
    }

    /// Puts the copy in the place of the database of a server that is stopped.
    func putBack(_ server: Server, named name: String) async throws {
        guard engine == .postgresql else { return try putBackFiles(of: server, from: backup(of: server, name)) }
        let cluster = try await PostgreSQLCluster.shared
        let restored = try await cluster.restore(from: dump(of: server, name))
        if let former = set(restored, for: server, of: cluster) { cluster.leave(former) }
    }

    private func putBackFiles(of server: Server, from backup: String) throws {
        for part in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: file(of: server) + part)
            guard FileManager.default.fileExists(atPath: backup + part) else { continue }
            try FileManager.default.copyItem(atPath: backup + part, toPath: file(of: server) + part)
        }
    }
}

extension ServersSite.Server {
    /// Databases with its schema.
    fileprivate var template: SchemaTemplate { self == .authentication ? Self.authenticationTemplate : Self.secondFactorTemplate }

    private static let authenticationTemplate = SchemaTemplate(ServerKind.authentication.schema.migrations) { Issue.record("\($0)") }
    private static let secondFactorTemplate = SchemaTemplate(ServerKind.secondFactor.schema.migrations) { Issue.record("\($0)") }
}
