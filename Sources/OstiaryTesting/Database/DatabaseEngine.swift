import Database
import Synchronization

/// The engines of databases that tests run on.
package enum DatabaseEngine: String, CaseIterable, Sendable {
    case sqlite
    /// Where one is installed; `scripts/test` sees to it.
    case postgresql

    package static var allCases: [Self] { [.sqlite] + (PostgreSQLCluster.isInstalled ? [.postgresql] : []) }

    /// The one on which this task runs: SQLite, unless it was said otherwise.
    package static var current: Self { EngineRun.current == nil ? .sqlite : .postgresql }

    /// Runs what makes its databases on this engine (``SchemaTemplate/ofEngine()``). They end with it.
    package func run(_ body: () async throws -> Void) async throws {
        guard self == .postgresql else { return try await EngineRun.$current.withValue(nil) { try await body() } }
        let run = EngineRun()
        do {
            try await EngineRun.$current.withValue(run) { try await body() }
        } catch {
            await run.end()
            throw error
        }
        await run.end()
    }
}

/// What runs on PostgreSQL, and the databases that it has made.
final class EngineRun: Sendable {
    @TaskLocal static var current: EngineRun?

    private let made = Mutex<[(name: String, database: PostgreSQLDatabase)]>([])

    /// Opens a database that nobody else has.
    func open(_ name: String) async throws -> PostgreSQLDatabase {
        let database = try await PostgreSQLCluster.shared.open(name)
        made.withLock { $0.append((name, database)) }
        return database
    }

    func end() async {
        let cluster = try? await PostgreSQLCluster.shared
        for (name, database) in made.withLock(\.self) {
            await database.close()
            cluster?.leave(name)
        }
    }
}
