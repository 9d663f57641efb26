import Database
import OstiaryProtocol
import Synchronization

/// The step of the schema that a start leaves out while programs of before run: it is taken when none was seen for an hour. So one that is away for less, for
/// a restart of its machine perhaps, finds a schema on which it starts (docs/decisions/0051, 0068).
final class WaitingStep: Sendable {
    /// Seconds without such a program.
    static let quiet: UInt64 = 3_600

    private let database: any Database
    private let step: StepWatch
    /// Since when this node has seen none; nil while it sees one, and before it has looked.
    private let quietSince = Mutex<Instant?>(nil)

    init(_ step: StepWatch, of database: any Database) {
        self.step = step
        self.database = database
    }

    /// Takes the step if it is time, and looks whether anybody has.
    /// - Parameter mayTake: whether this node works in the background.
    /// - Throws: `DatabaseOpenError`, `SQLError`.
    func run(at now: Instant, mayTake: Bool) async throws {
        guard !step.isTaken else { return }
        // So that no other takes this node for one of before.
        try await database.announce(AuthenticationSchema.migrations)
        if mayTake, try await isQuiet(at: now) {
            var patience = StepPatience()
            // Whatever holds a table: there is another round.
            patience.mostTries = 1
            try await database.migrate(AuthenticationSchema.migrations, patience: patience)
        }
        try await step.look()
    }

    private func isQuiet(at now: Instant) async throws -> Bool {
        guard try await !database.isOpenedByOlder(than: AuthenticationSchema.shortReceipts) else {
            quietSince.withLock { $0 = nil }
            return false
        }
        let since = quietSince.withLock { since in
            let began = min(since ?? now, now)
            since = began
            return began
        }
        return now.seconds(since: since) >= Self.quiet
    }
}
