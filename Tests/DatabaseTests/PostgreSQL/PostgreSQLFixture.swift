import Database
import Dispatch
import OstiaryTesting
import Synchronization

/// How often bodies have begun.
final class Runs: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    /// - Returns: which run this is, 1 for the first.
    @discardableResult
    func begin() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }
}

/// Does something else in the middle of a body, which has a thread of its own.
func blocking(_ work: @Sendable @escaping () async throws -> Void) throws {
    let done = DispatchSemaphore(value: 0)
    let outcome = Outcome()
    Task.detached {
        do { try await work() } catch { outcome.failure.withLock { $0 = error } }
        done.signal()
    }
    done.wait()
    if let error = outcome.failure.withLock({ $0 }) { throw error }
}

private final class Outcome: Sendable {
    let failure = Mutex<(any Error)?>(nil)
}

/// A database with the sample schema, and a socket before it that cuts.
struct CutFixture {
    let database: PostgreSQLDatabase
    let socket: CuttingSocket

    /// How often it was hit, when no connection that was cut works on what it has heard any more: until then a COMMIT may still come.
    func settledHits() async throws -> Int {
        let question = """
            SELECT COUNT(*) AS others FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'
            """
        while try await database.read({ try $0.one(question)?.int("others") }) != 0 { try await Task.sleep(for: .milliseconds(5)) }
        return try await database.hits()
    }

    /// - Parameter settings: of the connections that may be cut.
    static func run(settings: PostgreSQLSettings = .forTests, _ body: (CutFixture) async throws -> Void) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        let socket = try CuttingSocket(to: cluster.folder)
        let database = try await cluster.open(name, through: socket.socketFolder, settings: settings)
        try await database.migrate(sampleSchema)
        do { try await body(CutFixture(database: database, socket: socket)) } catch {
            await database.close()
            throw error
        }
        await database.close()
    }
}
