import AuthServer
import Authentication
import Database
import HTTPService
import Logging
import OstiaryProtocol
import OstiaryTesting

extension AuthNodeSettings {
    /// At the origin of the tests, with their key.
    static func ofTests(
        pinning identity: [UInt8], name: String? = nil, logo: [UInt8]? = nil, auditDays: UInt64 = 0,
        deletedAccountDays: UInt64 = AuthNodeSettings.usualDeletedAccountDays
    ) throws -> AuthNodeSettings {
        AuthNodeSettings(
            publicURL: try PublicURL(parsing: ServersFixture.origin), apiKey: SecretText(ServersFixture.apiKey), secondFactorIdentity: identity,
            serverName: name, serverLogo: logo, auditDays: auditDays, deletedAccountDays: deletedAccountDays)
    }
}

extension AuthNode {
    /// One by the clock of a test, patient with a busy machine.
    init(
        _ settings: AuthNodeSettings, over database: any Database, key: KeyEncryptionKey = .random(), rootKey: KeyEncryptionKey? = nil,
        secondFactor: any SecondFactorTransport, by clock: TestClock, logger: Logger, drain: DrainSignal = DrainSignal(),
        second: Duration = .seconds(1), events: (any SessionEvents)? = nil
    ) async throws {
        try await self.init(
            settings: settings, database: database, keyEncryptionKey: key, rootKey: rootKey, secondFactor: secondFactor, events: events,
            logger: logger, drain: drain, second: second, readinessLimit: .patientReadiness, clock: { clock.now })
    }
}
