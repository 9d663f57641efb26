import Database
import HTTPService
import Logging
import OstiaryProtocol
import SecondFactor

/// What an operator does at the machine, beside the running server or without it.
package struct SecondFactorOperator: Sendable {
    private let database: any Database
    private let logger: Logger
    private let stepPatience: StepPatience

    /// - Parameters:
    ///   - database: opened as `.shared` when a server may be running.
    ///   - stepPatience: how the steps of the schema wait, and who is told of it.
    package init(database: any Database, logger: Logger, stepPatience: StepPatience = StepPatience()) {
        self.database = database
        self.logger = logger
        self.stepPatience = stepPatience
    }

    /// Gives a blocked person their tries back. Not limited in number, but written down like every reset.
    /// - Parameter server: when given, the instance must belong to this virtual server.
    package func resetInstance(_ instance: InstanceID, of server: ServerID? = nil, policy: Policy = .standard, at now: Instant) async throws
        -> ResetOutcome
    {
        try await database.migrate(secondFactorMigrations, patience: stepPatience)
        let administration = AdministrationService(store: SQLSecondFactorStore(database: database), policy: policy)
        let outcome = try await administration.reset(instance, .command(for: server), at: now)
        logger.line(.notice, "reset by command", [.instance: instance.text, .outcome: outcome.word])
        return outcome
    }

    /// The identity hash as base64url, for the settings of an authentication server; makes the keys if there are none.
    package func identityText(
        keyEncryptionKey: KeyEncryptionKey, rootSeed: SecretBytes? = nil, random: any RandomSource = SystemRandomSource(), at now: Instant
    ) async throws -> String {
        try await database.migrate(secondFactorMigrations, patience: stepPatience)
        let keys = IdentityRenewal(
            store: SQLSecondFactorStore(database: database), keyEncryptionKey: keyEncryptionKey, rootSeed: rootSeed, random: random)
        return Base64URL.encode(try await keys.ownRoot(at: now).hash)
    }
}

extension ResetOutcome {
    /// One word for log and terminal.
    package var word: String {
        switch self {
        case .granted: "granted"
        case .repeated: "repeated"
        case .notBlocked: "not blocked"
        case .refused(let refusal, _): "\(refusal)"
        }
    }
}
