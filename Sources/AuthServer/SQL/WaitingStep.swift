import Database
import Synchronization

/// The step of the schema that no start takes where nodes share a database: it is taken when this node has looked for an hour, minute by minute, and never saw a
/// program of before. So one that is away for less, for a restart of its machine perhaps, finds a schema on which it starts (docs/decisions/0051, 0068).
///
/// Looks are counted, and no clock is asked: time in which nobody looked says nothing.
final class WaitingStep: Sendable {
    /// Looks in a row, one a minute, that saw no such program.
    static let quietLooks = 60
    /// Looks between two tries to take it: each may hold up for a second who reads the tables that it changes.
    static let looksBetweenTries = 10

    private let database: any Database
    private let step: StepWatch
    private let looks = Mutex(0)

    init(_ step: StepWatch, of database: any Database) {
        self.step = step
        self.database = database
    }

    /// One look; takes the step if it is time.
    /// - Parameter mayTake: whether this node works in the background; asked when it is time. A node that does not looks all the same.
    /// - Throws: `DatabaseOpenError`, `SQLError`, what `mayTake` throws.
    func run(mayTake: () async throws -> Bool) async throws {
        guard try await isTime(), try await mayTake() else { return }
        looks.withLock { $0 = Self.quietLooks - Self.looksBetweenTries }
        // Whatever is in the way: there is another try.
        try await database.migrate(AuthenticationSchema.migrations, takesWaiting: true)
        try await step.look()
        // Lost by a failover it is taken after another hour.
        if step.isTaken { looks.withLock { $0 = 0 } }
    }

    private func isTime() async throws -> Bool {
        // Of a look that fails, or sees one, none counts that came before.
        let before = looks.withLock { looks in
            defer { looks = 0 }
            return looks
        }
        try await step.look()
        guard !step.isTaken else { return false }
        // So that no other takes this node for one of before.
        try await database.announce(AuthenticationSchema.migrations)
        guard try await !database.isOpenedByOlder(than: AuthenticationSchema.shortReceipts) else { return false }
        let count = min(before + 1, Self.quietLooks)
        looks.withLock { $0 = count }
        return count == Self.quietLooks
    }
}
