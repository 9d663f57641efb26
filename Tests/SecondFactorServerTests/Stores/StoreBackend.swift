import Database
import OstiaryTesting
import SecondFactor
import Testing

@testable import SecondFactorServer

/// The places where instances can be kept; each passes the same suite.
enum StoreBackend: String, CaseIterable, Sendable {
    case values, sqliteInMemory, sqliteFile
    /// Each commit is lost once, and whoever looks again is answered.
    case lostAndKept, lostAndGone
    /// Every body twice; where one is installed, to which `scripts/test` sees.
    case postgresql

    static var allCases: [StoreBackend] {
        [.values, .sqliteInMemory, .sqliteFile, .lostAndKept, .lostAndGone] + (PostgreSQLCluster.isInstalled ? [.postgresql] : [])
    }

    /// Runs `body` with the services over an empty store.
    func run<Value: Sendable>(
        policy: Policy = .standard, _ body: @Sendable (SecondFactorService) async throws -> Value
    ) async throws -> Value {
        func service(over store: any SecondFactorStore) -> SecondFactorService {
            SecondFactorService(trustedRoots: [], store: store, policy: policy, evaluator: CountingEvaluator(keyEncryptionKey: .random()))
        }
        switch self {
        case .values: return try await body(service(over: InMemorySecondFactorStore()))
        case .postgresql:
            return try await SchemaTemplate.secondFactor.withPostgreSQL { database in
                // What differs between two runs is told on SQLite: numbers that this engine counts up are not taken back, so they do.
                try await body(service(over: SQLSecondFactorStore(database: RerunningDatabase(database) { _ in })))
            }
        case .sqliteInMemory, .sqliteFile, .lostAndKept, .lostAndGone:
            let folder = try TemporaryFolder()
            let database = try self == .sqliteFile ? openFile(folder.file("sf.sqlite")) : openInMemory()
            try await database.migrate(secondFactorMigrations)
            let value = try await body(service(over: SQLSecondFactorStore(database: LosingDatabase(database, plan))))
            try await database.close()
            return value
        }
    }

    var losesCommits: Bool { plan != .none }

    private var plan: LosingDatabase.Plan {
        switch self {
        case .values, .sqliteInMemory, .sqliteFile, .postgresql: .none
        case .lostAndKept: .each(.kept)
        case .lostAndGone: .each(.gone)
        }
    }
}
