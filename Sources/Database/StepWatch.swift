import Synchronization

/// Whether a step of the schema that may wait was taken, as far as this program knows. It learns of it by looking, now and then; what it does not know yet it
/// does as before the step. A step that was taken may be gone again: after a failover that lost its commit.
package final class StepWatch: Sendable {
    private let database: any Database
    private let number: Int
    private let known = Mutex(false)

    package init(_ number: Int, of database: any Database) {
        self.number = number
        self.database = database
    }

    /// Whether the last look saw it.
    package var isTaken: Bool { known.withLock { $0 } }

    /// Looks.
    /// - Throws: ``SQLError``; then it is known as before.
    package func look() async throws {
        let number = SQLValue(number)
        let row = try await database.read { try $0.one("SELECT number FROM schema_version WHERE number = $1", [number]) }
        known.withLock { $0 = row != nil }
    }
}

extension Database {
    /// Says once more which step is the last that this program knows: the connection that said so at its start may be gone, and one that says nothing is taken
    /// for one of before.
    /// - Throws: ``SQLError``.
    package func announce(_ migrations: [Migration]) async throws {
        guard let programs = dialect.programs, let last = migrations.map(\.number).max() else { return }
        try await patient.transaction { connection, _ -> Void in _ = try connection.one(programs.announce, [.text("\(last)")]) }
    }

    /// Whether a program has it open that does not know this step, as far as programs say; one that has said nothing is taken for such a one.
    /// - Throws: ``SQLError``.
    package func isOpenedByOlder(than step: Int) async throws -> Bool {
        guard let programs = dialect.programs else { return false }
        return try await read { try $0.one(programs.older, [SQLValue(step), SQLValue(0)]) != nil }
    }
}
