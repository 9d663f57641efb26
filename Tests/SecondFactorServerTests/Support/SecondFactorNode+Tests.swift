import Database
import HTTPService
import Logging
import OstiaryProtocol
import OstiaryTesting
import SecondFactor
import SecondFactorServer

extension SecondFactorNode {
    /// One by the clock of a test, patient with a busy machine.
    /// - Parameter logger: nil for none.
    init(
        _ settings: SecondFactorNodeSettings, over database: any Database, key: KeyEncryptionKey = .random(), evaluator: (any Evaluator)? = nil,
        random: any RandomSource = SystemRandomSource(), by clock: TestClock, logger: Logger? = nil
    ) async throws {
        try await self.init(
            settings: settings, database: database, keyEncryptionKey: key, evaluator: evaluator, random: random,
            logger: logger ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, readinessLimit: .patientReadiness, clock: { clock.now })
    }
}
