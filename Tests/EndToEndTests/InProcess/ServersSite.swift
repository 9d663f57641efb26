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

/// What of a world outlives its servers: their files, the keys beside them, the phones' homes and the clock. It can be opened, stopped, and opened again.
struct ServersSite: Sendable {
    /// One of the two servers.
    enum Server: String, CaseIterable, Sendable {
        case authentication = "as"
        case secondFactor = "sf"
    }

    /// Which of a database's files an operator copied.
    enum Copy: String, CaseIterable, Sendable {
        /// The file and its write-ahead log.
        case log
        /// These and the index of the log, as `cp ostiary.sqlite*` takes them.
        case logAndIndex
        /// The file alone, after what was in the log was folded in.
        case fileAlone

        var parts: [String] {
            switch self {
            case .log: ["", "-wal"]
            case .logAndIndex: ["", "-wal", "-shm"]
            case .fileAlone: [""]
            }
        }
    }

    let folder: TemporaryFolder
    let clock: TestClock
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
        self.authenticationKey = authenticationKey
        self.secondFactorKey = secondFactorKey
        self.publicURL = publicURL
        self.clock = clock
        self.penalties = penalties
        self.stretching = stretching
    }

    /// Starts both servers on the files that are there, lends them to `body`, and stops them.
    func open(_ body: @Sendable @escaping (ServersFixture) async throws -> Void) async throws {
        let clock = clock
        let drain = DrainSignal()
        let logger = Self.quietLogger
        let databases = (try SQLiteDatabase.open(path: file(of: .authentication)), try SQLiteDatabase.open(path: file(of: .secondFactor)))
        let root = try await AuthNode.identityHash(
            database: databases.0, keyEncryptionKey: authenticationKey, serverName: "Hallway", logger: logger, clock: { clock.now })
        let secondFactor = try await SecondFactorNode(
            settings: SecondFactorNodeSettings(trustedRoots: [root], policy: try Policy(maxAttempts: penalties.count + 1, penalties: penalties)),
            database: databases.1, keyEncryptionKey: secondFactorKey, logger: logger, drain: drain, readinessLimit: .patientReadiness,
            clock: { clock.now })
        try await Application(router: secondFactor.router, logger: logger).test(.router) { secondFactorClient in
            let wire = SecondFactorWire(secondFactorClient)
            let authentication = try await AuthNode(
                settings: AuthNodeSettings(
                    publicURL: try PublicURL(parsing: publicURL), apiKey: SecretText("key"),
                    secondFactorIdentity: secondFactor.identityHash, serverName: "Hallway"),
                database: databases.0, keyEncryptionKey: authenticationKey, secondFactor: wire, logger: logger, drain: drain,
                second: .milliseconds(40), readinessLimit: .patientReadiness, clock: { clock.now })
            try await Application(router: authentication.publicRouter, logger: logger).test(.router) { publicClient in
                try await Application(router: authentication.adminRouter, logger: logger).test(.router) { adminClient in
                    let world = ServersFixture(
                        folder: folder, clock: clock, line: Line(publicClient), secondFactorWire: wire,
                        backend: FixtureBackend(client: adminClient, serverID: authentication.defaultServer.text), authentication: authentication,
                        secondFactorDatabase: databases.1, drain: drain, stretching: stretching)
                    try await body(world)
                    // Phones that are still there would go on pinging a database that is closed.
                    await world.line.cut()
                }
            }
        }
        try await databases.0.close()
        try await databases.1.close()
    }

    func file(of server: Server) -> String { folder.file("\(server.rawValue).sqlite") }

    private static var quietLogger: Logger {
        var logger = Logger(label: "world")
        logger.logLevel = .critical
        return logger
    }

    /// Copies the database of a server as it is now: the file with its write-ahead log, while nobody asks the server anything.
    func backUp(_ server: Server) throws { try copy(server, Copy.log.parts) }

    /// The same in any way that an operator may copy.
    func backUp(_ server: Server, as copy: Copy) async throws {
        if copy == .fileAlone { try await fold(server) }
        try self.copy(server, copy.parts)
    }

    private func copy(_ server: Server, _ parts: [String]) throws {
        for part in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: backup(of: server) + part) }
        for part in parts where FileManager.default.fileExists(atPath: file(of: server) + part) {
            try FileManager.default.copyItem(atPath: file(of: server) + part, toPath: backup(of: server) + part)
        }
    }

    /// Writes what is in the log into the file, as the server does it by itself now and then.
    private func fold(_ server: Server) async throws {
        let database = try SQLiteDatabase.open(path: file(of: server), ownership: .shared)
        try await database.purge()
        try await database.close()
    }

    /// Puts the copy in the place of the database of a server that is stopped.
    func putBack(_ server: Server) throws {
        for part in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: file(of: server) + part)
            guard FileManager.default.fileExists(atPath: backup(of: server) + part) else { continue }
            try FileManager.default.copyItem(atPath: backup(of: server) + part, toPath: file(of: server) + part)
        }
    }

    private func backup(of server: Server) -> String { folder.file("backup-\(server.rawValue).sqlite") }
}
