import Logging
import ServiceLifecycle
import UnixSignals

/// Runs the listeners of a process until it is told to stop, then drains them.
package struct ServerRunner: Sendable {
    private let logger: Logger
    private let drain: DrainSignal
    /// How long requests that are under way may take after SIGTERM; then their tasks are cancelled.
    private let drainTime: Duration

    package init(logger: Logger, drain: DrainSignal, drainTime: Duration = .seconds(8)) {
        self.logger = logger
        self.drain = drain
        self.drainTime = drainTime
    }

    /// Opens every listener, calls `onRunning` once with the addresses, and returns after SIGTERM, SIGINT or SIGQUIT when the last request was answered.
    /// - Parameters:
    ///   - services: what runs beside the listeners; they are stopped after them, the last one first.
    ///   - stopsOnSignals: false in tests, which stop the runner by cancelling its task.
    ///   - endsWithTerminal: whether SIGHUP is one of these signals: of what a person runs in a terminal, and not of a server (``HangUp``).
    /// - Throws: ``ServerStartError``, and what a service throws.
    package func run(
        _ listeners: [Listener], services: [any Service] = [], stopsOnSignals: Bool = true, endsWithTerminal: Bool = false,
        onRunning: @Sendable @escaping ([BoundListener]) async -> Void = { _ in }
    ) async throws {
        try checkAddresses(of: listeners)
        let roster = Roster(expected: listeners.count, onRunning: onRunning)
        let open = listeners.map { listener in
            ListenerService(listener: listener, drain: drain, logger: logger) { await roster.add($0) }
        }
        let endsWithTerminal = endsWithTerminal && !HangUp.isIgnored()
        let hangUp = await HangUp(logger: logger, isTrapped: stopsOnSignals && !endsWithTerminal)
        // What the group says at the level debug is of itself.
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .info)
        // The last service is told to stop first: the drain signal, so that open polls do not hold up the listeners.
        let all = services + open + [hangUp, DrainService(drain: drain)]
        var configuration = ServiceGroupConfiguration(
            services: all.map(Self.named), gracefulShutdownSignals: stopsOnSignals ? Self.signals(withTerminal: endsWithTerminal) : [], logger: quiet)
        configuration.maximumGracefulShutdownDuration = drainTime
        try await ServiceGroup(configuration: configuration).run()
    }

    /// A service by the name of its type. Of one without a name the group makes a text of all that it holds, as deep as that goes: a quarter of a start.
    private static func named(_ service: any Service) -> ServiceGroupConfiguration.ServiceConfiguration {
        ServiceGroupConfiguration.ServiceConfiguration(service: service, serviceName: "\(type(of: service))")
    }

    /// Those that end a process in order.
    private static func signals(withTerminal: Bool) -> [UnixSignal] {
        withTerminal ? [.sigterm, .sigint, .sigquit, .sighup] : [.sigterm, .sigint, .sigquit]
    }

    /// Two listeners of one process on one port: told as what it is, and not as the port of another process.
    private func checkAddresses(of listeners: [Listener]) throws {
        for (position, listener) in listeners.enumerated() where listener.socket == nil {
            let twin = listeners[..<position].first { $0.socket == nil && $0.address.meets(listener.address) }
            if let twin { throw ServerStartError.onePort(twin.name, listener.name, address: listener.address) }
        }
    }
}

/// Begins the drain when the group begins to stop.
private struct DrainService: Service {
    let drain: DrainSignal

    func run() async throws {
        try? await gracefulShutdown()
        drain.begin()
    }
}

/// Collects the listeners that are open and reports when all are.
private actor Roster {
    private let expected: Int
    private let onRunning: @Sendable ([BoundListener]) async -> Void
    private var bound: [BoundListener] = []

    init(expected: Int, onRunning: @Sendable @escaping ([BoundListener]) async -> Void) {
        self.expected = expected
        self.onRunning = onRunning
    }

    func add(_ listener: BoundListener) async {
        bound.append(listener)
        guard bound.count == expected else { return }
        await onRunning(bound)
        // What a start has needed and freed: pages of the database, lists of what it holds.
        FreeMemory.giveBack()
    }
}
