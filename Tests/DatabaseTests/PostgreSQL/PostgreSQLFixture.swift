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
