import Database
import Dispatch

/// A transaction on a database file of another process, which does not end before it is told to: a `sqlite3` that was left open, say.
final class HeldDatabase: Sendable {
    private let release = DispatchSemaphore(value: 0)
    private let work: Task<Void, any Error>

    /// - Parameter path: of the file.
    init(_ path: String) async throws {
        let database = try openDatabase(.sqlite(path: path), ownership: .shared)
        let (begun, begin) = AsyncStream<Void>.makeStream()
        work = Task { [release] in
            try await database.transaction { _ in
                begin.yield()
                release.wait()
            }
            try await database.close()
        }
        for await _ in begun { break }
    }

    func letGo() async throws {
        release.signal()
        try await work.value
    }
}
