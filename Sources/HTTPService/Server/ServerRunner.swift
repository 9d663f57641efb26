import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
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

    /// Opens every listener, calls `onRunning` once with the addresses, and returns after SIGTERM or SIGINT when the last request was answered.
    /// - Parameters:
    ///   - services: what runs beside the listeners; they are stopped after them, the last one first.
    ///   - stopsOnSignals: false in tests, which stop the runner by cancelling its task.
    /// - Throws: ``ServerStartError``, and what a service throws.
    package func run(
        _ listeners: [Listener], services: [any Service] = [], stopsOnSignals: Bool = true,
        onRunning: @Sendable @escaping ([BoundListener]) async -> Void = { _ in }
    ) async throws {
        let roster = Roster(expected: listeners.count, onRunning: onRunning)
        let open = listeners.map { ListenerService(listener: $0, roster: roster, logger: logger) }
        // The last service is told to stop first: the drain signal, so that open polls do not hold up the listeners.
        var configuration = ServiceGroupConfiguration(
            services: services + open + [DrainService(drain: drain)], gracefulShutdownSignals: stopsOnSignals ? [.sigterm, .sigint] : [],
            logger: logger)
        configuration.maximumGracefulShutdownDuration = drainTime
        try await ServiceGroup(configuration: configuration).run()
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

/// One listener as a service, with bind failures in our words.
private struct ListenerService: Service {
    let listener: Listener
    let roster: Roster
    let logger: Logger

    func run() async throws {
        do {
            try await application().runService(gracefulShutdownSignals: [])
        } catch let error as IOError {
            throw ServerStartError(error, name: listener.name, address: listener.address)
        } catch is SocketAddressError.UnknownHost {
            throw ServerStartError.cannotListen(name: listener.name, address: listener.address, reason: "the host is not known")
        }
    }

    private func application() -> Application<RouterResponder<ServiceRequestContext>> {
        let limits = listener.limits
        let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: limits.headers, maxHeaderListSize: limits.headers, maxHeaderFieldCount: limits.headerCount)
        let channel = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ArrivalDeadline(limit: limits.arrival)], idleTimeout: limits.idle, httpDecoderConfiguration: decoder)
        return Application(
            responder: listener.responder,
            server: .http1(configuration: channel),
            configuration: ApplicationConfiguration(
                address: .hostname(listener.address.host, port: listener.address.port), backlog: 1024,
                availableConnectionsDelegate: MaximumAvailableConnections(limits.connections, logger: logger)),
            onServerRunning: { channel in
                let address = ListenAddress(host: listener.address.host, port: channel.localAddress?.port ?? listener.address.port)
                await roster.add(BoundListener(name: listener.name, address: address))
            },
            logger: logger)
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
        if bound.count == expected { await onRunning(bound) }
    }
}
