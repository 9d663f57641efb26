import AuthServer
import Authentication
import Database
import Foundation
import HTTPService
import Hummingbird
import HummingbirdTesting
import Logging
import OstiaryProtocol
import OstiaryTesting
import SecondFactor
import SecondFactorServer

@testable import OstiaryMobile

/// What of a world outlives its servers: their databases, the keys beside them, the phones' homes and the clock. It can be opened, stopped, and opened again.
/// Its databases are of the engine that the test runs on.
struct ServersSite: Sendable {
    /// One of the two servers.
    enum Server: String, CaseIterable, Sendable {
        case authentication = "as"
        case secondFactor = "sf"
    }

    /// How an operator copied a database: which of its files, or what a program wrote.
    enum Copy: String, Sendable {
        /// The file and its write-ahead log.
        case log
        /// These and the index of the log, as `cp ostiary.sqlite*` takes them.
        case logAndIndex
        /// The file alone, after what was in the log was folded in.
        case fileAlone
        /// What `pg_dump` writes, and `psql` reads.
        case dump

        /// All that there are on the engines that are installed.
        static let possible = [Copy.log, .logAndIndex, .fileAlone, .dump].filter { DatabaseEngine.allCases.contains($0.engine) }

        var engine: DatabaseEngine { self == .dump ? .postgresql : .sqlite }

        var parts: [String] {
            switch self {
            case .log: ["", "-wal"]
            case .logAndIndex: ["", "-wal", "-shm"]
            case .fileAlone: [""]
            case .dump: []
            }
        }
    }

    let folder: TemporaryFolder
    let clock: TestClock
    private var databases: SiteDatabases
    private let authenticationKey: KeyEncryptionKey
    private let secondFactorKey: KeyEncryptionKey
    private let publicURL: String
    private let penalties: [UInt64]
    private let stretching: PINStretching

    init(penalties: [UInt64] = [0, 0, 30, 300], stretching: PINStretching = .quick) throws {
        self.init(
            in: try TemporaryFolder(), authenticationKey: .random(), secondFactorKey: .random(), penalties: penalties, stretching: stretching)
    }

    /// - Parameters:
    ///   - folder: may hold the files of servers and phones that ran before, whose keys and address the others are then.
    ///   - publicURL: where phones and browsers believe the authentication server to be.
    ///   - stretching: of the PINs of its phones; Argon2id where the homes are those of a program.
    init(
        in folder: TemporaryFolder, authenticationKey: KeyEncryptionKey, secondFactorKey: KeyEncryptionKey, publicURL: String = "http://localhost:1",
        clock: TestClock = .shared(at: Instant(UInt64(Date().timeIntervalSince1970))), penalties: [UInt64], stretching: PINStretching
    ) {
        self.folder = folder
        databases = SiteDatabases(in: folder.path)
        self.authenticationKey = authenticationKey
        self.secondFactorKey = secondFactorKey
        self.publicURL = publicURL
        self.clock = clock
        self.penalties = penalties
        self.stretching = stretching
    }

    /// The same servers with their databases elsewhere, as after a move.
    func over(_ databases: SiteDatabases) -> ServersSite {
        var site = self
        site.databases = databases
        return site
    }

    /// Starts both servers on the databases that are there, lends them to `body`, and stops them.
    func open(_ body: @Sendable @escaping (ServersFixture) async throws -> Void) async throws {
        let opened = try await databases.open()
        do { try await serve(over: opened, body) } catch {
            try? await opened.close()
            throw error
        }
        try await opened.close()
    }

    private func serve(over databases: SiteDatabases.Opened, _ body: @Sendable @escaping (ServersFixture) async throws -> Void) async throws {
        let clock = clock
        let drain = DrainSignal()
        let logger = Self.quietLogger
        let root = try await AuthNode.identityHash(
            database: databases.authentication, keyEncryptionKey: authenticationKey, serverName: "Hallway", logger: logger, clock: { clock.now })
        let secondFactor = try await SecondFactorNode(
            settings: SecondFactorNodeSettings(trustedRoots: [root], policy: try Policy(maxAttempts: penalties.count + 1, penalties: penalties)),
            database: databases.secondFactor, keyEncryptionKey: secondFactorKey, logger: logger, drain: drain, readinessLimit: .patientReadiness,
            clock: { clock.now })
        try await Application(router: secondFactor.router, logger: logger).test(.router) { secondFactorClient in
            let wire = SecondFactorWire(secondFactorClient)
            let authentication = try await AuthNode(
                settings: AuthNodeSettings(
                    publicURL: try PublicURL(parsing: publicURL), apiKey: SecretText("key"),
                    secondFactorIdentity: secondFactor.identityHash, serverName: "Hallway"),
                database: databases.authentication, keyEncryptionKey: authenticationKey, secondFactor: wire, logger: logger, drain: drain,
                second: .milliseconds(40), readinessLimit: .patientReadiness, clock: { clock.now })
            try await Application(router: authentication.publicRouter, logger: logger).test(.router) { publicClient in
                try await Application(router: authentication.adminRouter, logger: logger).test(.router) { (adminClient) async throws in
                    let world = ServersFixture(
                        folder: folder, clock: clock, line: Line(publicClient), secondFactorWire: wire,
                        backend: FixtureBackend(client: adminClient, serverID: authentication.defaultServer.text), authentication: authentication,
                        secondFactorDatabase: databases.secondFactor, drain: drain, stretching: stretching)
                    // Phones that are still there would go on pinging a database that is closed.
                    do { try await body(world) } catch {
                        await world.line.cut()
                        throw error
                    }
                    await world.line.cut()
                }
            }
        }
    }

    /// The file of a server on SQLite.
    func file(of server: Server) -> String { databases.file(of: server) }

    private static var quietLogger: Logger {
        var logger = Logger(label: "world")
        logger.logLevel = .critical
        return logger
    }

    /// Copies the database of a server as it is now, while nobody asks the server anything.
    /// - Parameters:
    ///   - copy: nil for the file with its write-ahead log, or what the engine writes.
    ///   - name: of the copy, where there are several.
    func backUp(_ server: Server, as copy: Copy? = nil, named name: String = "one") async throws {
        try await databases.backUp(server, as: copy, named: name)
    }

    /// Puts the copy in the place of the database of a server that is stopped.
    func putBack(_ server: Server, named name: String = "one") async throws { try await databases.putBack(server, named: name) }

    /// Another site with the same past, while the servers of this one are stopped, but with a copy in the place of the database of one: what becomes of one
    /// site is nothing to the other. To have lived is dear, so endings that have it in common each begin with this.
    func copied(puttingBack server: Server, named name: String = "one") async throws -> ServersSite {
        let folder = try self.folder.copied()
        let copies = try await databases.copied(in: folder.path, without: server)
        try await copies.putBack(server, named: name)
        return ServersSite(
            in: folder, authenticationKey: authenticationKey, secondFactorKey: secondFactorKey, publicURL: publicURL,
            clock: TestClock(copying: clock), penalties: penalties, stretching: stretching
        ).over(copies)
    }
}

extension TemporaryFolder {
    /// Another one with the same files, each readable by the owner only.
    fileprivate func copied() throws -> TemporaryFolder {
        let (copy, files) = (try TemporaryFolder(), FileManager.default)
        // What is about to take the place of a file is none yet.
        for name in try files.subpathsOfDirectory(atPath: path).sorted() where !name.hasSuffix(".tmp") {
            var isFolder: ObjCBool = false
            guard files.fileExists(atPath: file(name), isDirectory: &isFolder) else { continue }
            if isFolder.boolValue {
                try files.createDirectory(atPath: copy.file(name), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } else {
                try files.copyItem(atPath: file(name), toPath: copy.file(name))
                try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.file(name))
            }
        }
        return copy
    }
}
