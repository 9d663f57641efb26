import Authentication
import Database
import HTTPService
import OstiaryTesting

@testable import AuthServer

/// Where a store keeps its rows. Every store suite runs on each.
enum StoreBackend: CaseIterable, Sendable, CustomStringConvertible {
    case memory, sqliteInMemory, sqliteFile
    /// Where one is installed; `scripts/test` sees to it.
    case postgresql

    static var allCases: [StoreBackend] { [.memory, .sqliteInMemory, .sqliteFile] + (PostgreSQLCluster.isInstalled ? [.postgresql] : []) }

    var description: String {
        switch self {
        case .memory: "memory"
        case .sqliteInMemory: "SQLite in memory, every body twice"
        case .sqliteFile: "SQLite file"
        case .postgresql: "PostgreSQL, every body twice"
        }
    }

    /// Lends an empty store to `body`.
    func run(_ body: @Sendable (any AuthenticationStore) async throws -> Void) async throws {
        switch self {
        case .memory: try await body(MemoryStore())
        case .sqliteInMemory: try await run(on: try await misbehavingDatabase(), body)
        case .sqliteFile:
            let folder = try TemporaryFolder()
            let database = try await SchemaTemplate.authentication.file(folder.file("as.sqlite"))
            try await run(on: database, body)
            try await database.close()
        case .postgresql: try await SchemaTemplate.authentication.withPostgreSQL { try await run(on: misbehavingDatabase(over: $0), body) }
        }
    }

    private func run(on database: any Database, _ body: @Sendable (any AuthenticationStore) async throws -> Void) async throws {
        try await database.migrate(AuthenticationSchema.migrations)
        // One writes receipts as they were signed, as beside programs of before; the others without what their row says.
        let short = StepWatch(AuthenticationSchema.shortReceipts, of: database)
        if self != .sqliteInMemory { try await short.look() }
        try await body(SQLAuthenticationStore(database: database, key: .random(), views: nil, shortReceipts: short, audited: { _ in }))
    }
}
