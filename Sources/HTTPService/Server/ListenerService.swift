import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOExtras
import NIOHTTP1
import NIOPosix
import ServiceLifecycle

/// One listener as a service: opens its port, or takes the socket it was handed; serves each connection; drains when the group stops.
///
/// The connection is Hummingbird's, and so is the request. The accepting is ours: Hummingbird's own server takes no open socket, knows no peer, goes on
/// asking for connections when there is no descriptor left for one, and takes the process with it when it is cancelled just as one has come (``HandOver``).
struct ListenerService: Service {
    let listener: Listener
    let drain: DrainSignal
    let logger: Logger
    /// Called once the listener is open.
    let onOpen: @Sendable (BoundListener) async -> Void
    private let told: LimitLog
    private let waiting: WaitingConnections?
    private let turns = TurnQueues()

    /// Connections that wait to be accepted.
    private static let backlog: Int32 = 1024
    private var group: MultiThreadedEventLoopGroup { .singleton }

    init(listener: Listener, drain: DrainSignal, logger: Logger, onOpen: @Sendable @escaping (BoundListener) async -> Void) {
        self.listener = listener
        self.drain = drain
        self.logger = logger
        self.onOpen = onOpen
        told = LimitLog(logger: logger, listener: listener.name)
        waiting = listener.limits.connections.givesWay ? WaitingConnections() : nil
    }

    /// - Throws: ``ServerStartError`` when the port cannot be opened.
    func run() async throws {
        let connection = connection()
        let quiescing = ServerQuiescingHelper(group: group)
        let (accepted, taker) = AsyncStream.makeStream(of: HTTP1Channel.Value.self)
        let server = try await open(connection, quiescing, taker)
        server.closeFuture.whenComplete { _ in taker.finish() }
        await withGracefulShutdownHandler {
            await onOpen(BoundListener(name: listener.name, address: address(of: server)))
            await serve(accepted, with: connection, of: server, quiescing)
        } onGracefulShutdown: {
            quiescing.initiateShutdown(promise: nil)
        }
    }

    /// With the port that the system chose, and for a socket that was handed over with its own address.
    private func address(of channel: any Channel) -> ListenAddress {
        let local = channel.localAddress
        let host = listener.socket == nil ? listener.address.host : local?.ipAddress ?? local?.pathname ?? "?"
        return ListenAddress(host: host, port: local?.port ?? listener.address.port)
    }

    /// Until the server's channel is closed or the task is cancelled, and every connection that was accepted has ended.
    private func serve(
        _ accepted: AsyncStream<HTTP1Channel.Value>, with connection: HTTP1Channel, of server: any Channel, _ quiescing: ServerQuiescingHelper
    ) async {
        let end = server.eventLoop.makePromise(of: Void.self)
        await withDiscardingTaskGroup { tasks in
            for await channel in accepted {
                let thread = listener.computes ? nil : ConnectionThreads.ofThisProcess[channel.channel]
                tasks.addTask(executorPreference: thread) {
                    await withTaskCancellationHandler {
                        await connection.handle(value: channel, logger: logger)
                    } onCancel: {
                        closeSoon(channel.channel)
                    }
                }
            }
            if !Task.isCancelled, !Task.isShuttingDownGracefully {
                logger.error("no more connections are accepted", metadata: ["listener": "\(listener.name)"])
            }
            // Also where the task was cancelled: the port is closed, and with it each connection on which nothing is under way.
            quiescing.initiateShutdown(promise: end)
        }
        // Of those that came meanwhile, too, which nobody served.
        try? await end.futureResult.get()
    }

    /// A connection whose time is over. The framework reads nothing more of it then; but as long as the other end does not take what was said before, that
    /// ends nothing.
    private func closeSoon(_ channel: any Channel) {
        channel.eventLoop.scheduleTask(in: listener.limits.parting) { channel.close(promise: nil) }
    }

    private func connection() -> HTTP1Channel {
        let limits = listener.limits
        let answering = Answering(responder: listener.responder, budget: limits.bodies, logger: logger)
        let (refusals, logger, told, waiting) = (RefusalLog(), logger, told, waiting)
        return HTTP1Channel(
            responder: { request, writer, channel in try await answering.answer(request, on: channel, to: writer) },
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [
                    WaitingRequests(limit: limits.requests, told: told), RefusedHead(log: refusals, logger: logger),
                    ArrivalDeadline(limit: limits.arrival), Departure(), waiting.map { ClientsTurn($0) },
                ].compactMap { $0 },
                // Of what is answered early it hears nothing: SilenceLimit does.
                idleTimeout: listener.early == nil ? limits.idle : nil))
    }

    private func open(
        _ connection: HTTP1Channel, _ quiescing: ServerQuiescingHelper, _ taker: AsyncStream<HTTP1Channel.Value>.Continuation
    ) async throws -> any Channel {
        let bootstrap = bootstrap(quiescing).childChannelInitializer { setUp($0, connection, taker) }
        do {
            guard let socket = listener.socket else {
                return try await bootstrap.bind(host: listener.address.host, port: listener.address.port).get()
            }
            let server = try await bootstrap.withBoundSocket(socket.descriptor).get()
            // The framework has listened with a queue of its own length.
            socket.listen(backlog: Self.backlog)
            return server
        } catch let error as IOError {
            throw ServerStartError(error, name: listener.name, address: listener.address)
        } catch is SocketAddressError.UnknownHost {
            throw ServerStartError.cannotListen(name: listener.name, address: listener.address, reason: "the host is not known")
        }
    }

    private func setUp(
        _ channel: any Channel, _ connection: HTTP1Channel, _ taker: AsyncStream<HTTP1Channel.Value>.Continuation
    ) -> EventLoopFuture<Void> {
        let limits = listener.limits
        return channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandlers(StalledReader(limits), FirstByte(limit: limits.opening))
        }.flatMap { connection.setup(channel: channel, logger: logger) }.flatMapThrowing { value -> EventLoopFuture<Void> in
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let farewell = Farewell(drain: drain, patience: limits.parting)
            let rules = ConnectionRules(farewell)
            let early: [any ChannelHandler] =
                try listener.early.map { answer in
                    let front = try pipeline.handler(type: FirstByte.self)
                    let silence = SilenceLimit(limit: limits.idle)
                    let answers = EarlyAnswers(
                        answer, through: front, farewell: farewell, silence: silence, turns: turns.queue(of: channel.eventLoop))
                    front.listener = { bytes in
                        // As where all are told by ``ConnectionRules``: behind the last request nobody is.
                        guard !rules.isOver else { return }
                        answers.hear(bytes)
                    }
                    return [silence, answers]
                } ?? []
            let ours = ByteToMessageHandler(RequestParser(limits: limits, rules: rules))
            try pipeline.addHandlers([ours, rules, farewell] + early, position: .after(parser))
            try pipeline.addHandler(HandOver(of: value, to: taker), position: .last)
            // No byte is read before it has gone: the connection opens when it is set up.
            return pipeline.removeHandler(parser)
        }.flatMap { $0 }
    }

    private func bootstrap(_ quiescing: ServerQuiescingHelper) -> ServerBootstrap {
        let (gate, waiting, told) = (listener.limits.connections, waiting, told)
        return ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: Self.backlog)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // Until the gate says how many there is room for.
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            // A connection never holds more than one piece of this size of what it has not yet handed on.
            .childChannelOption(.recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 2048, maximum: 16_384))
            .childChannelOption(.maxMessagesPerRead, value: 1)
            // Nor much more of what the other end does not take.
            .childChannelOption(.writeBufferWaterMark, value: ChannelOptions.Types.WriteBufferWaterMark(low: 4096, high: 16_384))
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ConnectionGate(gate, waiting: waiting, told: told))
                    try channel.pipeline.syncOperations.addHandler(quiescing.makeServerChannelHandler(channel: channel))
                }
            }
    }
}
