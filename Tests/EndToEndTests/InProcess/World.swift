import AuthServer
import Authentication
import Database
import Foundation
import HTTPService
import Hummingbird
import HummingbirdTesting
import Logging
import OstiaryProtocol
import SecondFactor
import SecondFactorServer

@testable import OstiaryMobile

/// Both servers with their real routers and stores in this process, and phones that speak to them.
struct World: Sendable {
    let folder: TemporaryFolder
    let clock: WorldClock
    let line: Line
    let secondFactorWire: SecondFactorWire
    let backend: WorldBackend
    let authentication: AuthenticationService
    let secondFactorDatabase: any Database
    let drain: DrainSignal

    /// Makes a world for the time of `body`.
    /// - Parameter penalties: seconds of waiting after each wrong try but the last.
    static func run(penalties: [UInt64] = [0, 0, 30, 300], _ body: @Sendable @escaping (World) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let clock = WorldClock()
        let drain = DrainSignal()
        let logger = Self.quietLogger
        let databases = (try SQLiteDatabase.open(path: folder.path("as.sqlite")), try SQLiteDatabase.open(path: folder.path("sf.sqlite")))
        let authenticationKey = KeyEncryptionKey.random()
        let root = try await AuthenticationService.identityHash(
            database: databases.0, keyEncryptionKey: authenticationKey, serverName: "Hallway", clock: { clock.now })
        let secondFactor = try await SecondFactorService(
            settings: SecondFactorSettings(trustedRoots: [root], policy: try Policy(maxAttempts: penalties.count + 1, penalties: penalties)),
            database: databases.1, keyEncryptionKey: .random(), logger: logger, drain: drain, clock: { clock.now })
        try await Application(router: secondFactor.router, logger: logger).test(.router) { secondFactorClient in
            let wire = SecondFactorWire(secondFactorClient)
            let authentication = try await AuthenticationService(
                settings: AuthenticationSettings(
                    publicURL: try PublicURL(parsing: "http://localhost:1"), apiKey: SecretText("key"),
                    secondFactorIdentity: secondFactor.identityHash, serverName: "Hallway"),
                database: databases.0, keyEncryptionKey: authenticationKey, secondFactor: wire, logger: logger, drain: drain,
                second: .milliseconds(40), clock: { clock.now })
            try await Application(router: authentication.publicRouter, logger: logger).test(.router) { publicClient in
                try await Application(router: authentication.adminRouter, logger: logger).test(.router) { adminClient in
                    let world = World(
                        folder: folder, clock: clock, line: Line(publicClient), secondFactorWire: wire,
                        backend: WorldBackend(client: adminClient, serverID: authentication.defaultServer.text), authentication: authentication,
                        secondFactorDatabase: databases.1, drain: drain)
                    try await body(world)
                    // Phones that are still there would go on pinging a database that is closed.
                    await world.line.cut()
                }
            }
        }
        try await databases.0.close()
        try await databases.1.close()
    }

    private static var quietLogger: Logger {
        var logger = Logger(label: "world")
        logger.logLevel = .critical
        return logger
    }

    /// A phone with a home of its own, or the home of an earlier one, as after a restart.
    /// - Parameter biometrics: its simulated sensor.
    func phone(_ name: String = "phone", isWatching: Bool = false, biometrics: SimulatedBiometrics? = nil) throws -> WorldPhone {
        let ports = try Ports.files(in: folder.path(name), transport: line, clock: clock, biometrics: biometrics)
        var configuration = Ostiary.Configuration()
        configuration.watchesSessions = isWatching
        configuration.automaticallySelectSingleAccountWhenSecondFactorNeeded = false
        configuration.connectionPatience = .seconds(5)
        return WorldPhone(Ostiary(configuration: configuration, ports: ports))
    }

    /// The frame that a page would show now.
    func movingCode(_ nonce: String) async throws -> [UInt8] {
        try await authentication.services.sessions.loginLink(
            for: SessionNonce(nonce), at: authentication.defaultServer, style: .moving, now: clock.now
        ).link.bytes
    }

    /// What the second-factor server counted: wrong or open tries, and evaluations that it made.
    func counted() async throws -> (failed: Int, evaluations: Int) {
        try await secondFactorDatabase.read { connection in
            let row = try connection.one("SELECT COALESCE(SUM(highest - proven), 0) AS failed FROM instance")
            let evaluations = try connection.one("SELECT COUNT(*) AS number FROM attempt WHERE evaluation IS NOT NULL AND context = 1")
            return (try row?.int("failed") ?? -1, try evaluations?.int("number") ?? -1)
        }
    }
}
