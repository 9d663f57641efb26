import Database
import OstiaryTesting
import SecondFactor

@testable import SecondFactorServer

/// The places where instances can be kept; each passes the same suite.
enum StoreBackend: String, CaseIterable, Sendable {
    case values, sqliteInMemory, sqliteFile
    /// Each commit is lost once, and whoever looks again is answered.
    case lostAndKept, lostAndGone

    /// Runs `body` on an empty store.
    func run<Value: Sendable>(
        policy: Policy = .standard, _ body: @Sendable (any SecondFactorStore) async throws -> Value
    ) async throws -> Value {
        guard self != .values else { return try await body(InMemorySecondFactorStore(policy: policy)) }
        let folder = try TemporaryFolder()
        let database = try self == .sqliteFile ? openFile(folder.file("sf.sqlite")) : openInMemory()
        try await database.migrate(secondFactorMigrations)
        let value = try await body(SQLSecondFactorStore(database: LosingDatabase(database, plan), policy: policy))
        try await database.close()
        return value
    }

    var losesCommits: Bool { plan != .none }

    private var plan: LosingDatabase.Plan {
        switch self {
        case .values, .sqliteInMemory, .sqliteFile: .none
        case .lostAndKept: .each(.kept)
        case .lostAndGone: .each(.gone)
        }
    }
}
