import HTTPService
import Hummingbird
import Logging
import ServiceLifecycle

/// A runner as a service, so that a test can stop it as a signal would.
private struct RunnerService: Service {
    let runner: ServerRunner
    let listeners: [Listener]
    let onRunning: @Sendable ([BoundListener]) async -> Void

    func run() async throws {
        try await runner.run(listeners, stopsOnSignals: false, onRunning: onRunning)
    }
}

/// A server on a free port of this machine.
struct RunningServer: Sendable {
    let port: Int
    private let group: ServiceGroup

    private static var quietLogger: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }

    /// Tells the server to stop, as SIGTERM does.
    func stop() async {
        await group.triggerGracefulShutdown()
    }

    /// Runs `body` beside a server, then stops the server and waits until it has ended.
    static func with(
        _ router: Router<ServiceRequestContext>, socket: HandedSocket? = nil, limits: ServiceLimits = .standard, drain: DrainSignal = DrainSignal(),
        drainTime: Duration = .seconds(8), logger log: Logger? = nil, early: EarlyAnswer? = nil,
        body: @Sendable @escaping (RunningServer) async throws -> Void
    ) async throws {
        let (running, report) = AsyncStream.makeStream(of: [BoundListener].self)
        let logger = log ?? quietLogger
        let runner = RunnerService(
            runner: ServerRunner(logger: logger, drain: drain, drainTime: drainTime),
            listeners: [
                Listener("public", at: ListenAddress(host: "127.0.0.1", port: 0), socket: socket, router: router, limits: limits, early: early)
            ],
            onRunning: { report.yield($0) })
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [runner], logger: logger))
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await group.run() }
            tasks.addTask {
                for await bound in running {
                    let server = RunningServer(port: bound[0].address.port, group: group)
                    do {
                        try await body(server)
                    } catch {
                        await server.stop()
                        throw error
                    }
                    return await server.stop()
                }
            }
            try await tasks.waitForAll()
        }
    }
}
