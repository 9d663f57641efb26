import HTTPService
import Logging
import OstiaryTesting

extension Listener {
    /// Listens for the time of `body`, which is told the port.
    /// - Parameter drain: begins when that is over.
    func whileOpen(
        drain: DrainSignal = DrainSignal(), logging log: LogRecorder, _ body: @Sendable @escaping (Int) async throws -> Void
    ) async throws {
        let runner = ServerRunner(logger: log.logger(level: .info), drain: drain)
        let (running, report) = AsyncStream.makeStream(of: [BoundListener].self)
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try? await runner.run([self], stopsOnSignals: false) { report.yield($0) } }
            defer { tasks.cancelAll() }
            for await bound in running { return try await body(bound[0].address.port) }
        }
    }
}
