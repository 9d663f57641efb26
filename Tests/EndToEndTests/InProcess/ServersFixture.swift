import AuthServer
import Authentication
import Database
import HTTPService
import OstiaryProtocol
import OstiaryTesting

@testable import OstiaryMobile

/// Both servers with their real routers and stores in this process, and phones that speak to them.
struct ServersFixture: Sendable {
    let folder: TemporaryFolder
    let clock: TestClock
    let line: Line
    let secondFactorWire: SecondFactorWire
    let backend: FixtureBackend
    let authentication: AuthNode
    let secondFactorDatabase: any Database
    let drain: DrainSignal
    /// Of the PINs of its phones.
    let stretching: PINStretching

    /// Makes a world for the time of `body`.
    /// - Parameters:
    ///   - penalties: seconds of waiting after each wrong try but the last.
    ///   - stretching: Argon2id where a test is about what becomes of a PIN.
    static func run(
        penalties: [UInt64] = [0, 0, 30, 300], stretching: PINStretching = .quick,
        _ body: @Sendable @escaping (ServersFixture) async throws -> Void
    ) async throws {
        try await ServersSite(penalties: penalties, stretching: stretching).open(body)
    }

    /// What a phone of this world stands on.
    /// - Parameter name: of its home.
    func ports(_ name: String, biometrics: SimulatedBiometrics?) throws -> Ports {
        var ports = try Ports.files(in: folder.file(name), transport: line, clock: clock, biometrics: biometrics)
        ports.stretching = stretching
        return ports
    }

    /// A phone with a home of its own, or the home of an earlier one, as after a restart.
    /// - Parameters:
    ///   - bindsTokens: whether its AppLogins name a key for tokens.
    ///   - biometrics: its simulated sensor.
    func phone(
        _ name: String = "phone", isWatching: Bool = false, bindsTokens: Bool = false, biometrics: SimulatedBiometrics? = nil
    ) throws -> FixturePhone {
        let ports = try ports(name, biometrics: biometrics)
        var configuration = Ostiary.Configuration()
        configuration.watchesSessions = isWatching
        configuration.bindsTokens = bindsTokens
        // Nobody looks at it, and it takes as long as a PIN.
        configuration.hidesVisualHash = true
        configuration.automaticallySelectSingleAccountWhenSecondFactorNeeded = false
        configuration.connectionPatience = .seconds(5)
        return FixturePhone(Ostiary(configuration: configuration, ports: ports))
    }

    /// The frame that a page would show now.
    func movingCode(_ nonce: String) async throws -> [UInt8] {
        try await authentication.services.sessions.loginLink(
            for: SessionNonce(nonce), at: authentication.defaultServer, style: .moving, by: .api(key: "main"), now: clock.now
        ).link.bytes
    }

    /// What the second-factor server counted: wrong or open tries, and attempts that it let come to an evaluation.
    func counted() async throws -> (failed: Int, evaluations: Int) {
        try await secondFactorDatabase.read { connection in
            let row = try connection.one("SELECT CAST(COALESCE(SUM(highest - proven), 0) AS BIGINT) AS failed FROM instance")
            let evaluations = try connection.one("SELECT COUNT(*) AS number FROM attempt WHERE context = 1")
            return (try row?.int("failed") ?? -1, try evaluations?.int("number") ?? -1)
        }
    }
}
