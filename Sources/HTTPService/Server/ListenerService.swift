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
/// The connection is Hummingbird's, and so is the request. The accepting is ours: Hummingbird's own server takes no open socket, knows no peer, and
/// goes on asking for connections when there is no descriptor left for one.
struct ListenerService: Service {
    typealias Server = NIOAsyncChannel<AcceptedConnection, Never>

    let listener: Listener
    let drain: DrainSignal
    let logger: Logger
    /// Called once the listener is open.
    let onOpen: @Sendable (BoundListener) async -> Void
    private let told: LimitLog
    private let waiting: WaitingConnections?

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
        let server = try await open(connection, quiescing)
        await withGracefulShutdownHandler {
            await onOpen(BoundListener(name: listener.name, address: address(of: server.channel)))
            await serve(server, with: connection)
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

    /// Until the server's channel is closed and the last connection has ended.
    private func serve(_ server: Server, with connection: HTTP1Channel) async {
        await withDiscardingTaskGroup { tasks in
            do {
                try await server.executeThenClose { accepted in
                    for try await next in accepted {
                        let channel = next.take()
                        let thread = listener.computes ? nil : ConnectionThreads.ofThisProcess[channel.channel]
                        tasks.addTask(executorPreference: thread) {
                            await connection.handle(value: channel, logger: logger)
                        }
                    }
                }
            } catch {
                logger.error("no more connections are accepted", metadata: ["listener": "\(listener.name)", "error": "\(error)"])
            }
        }
    }

    private func connection() -> HTTP1Channel {
        let limits = listener.limits
        let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: limits.headers, maxHeaderListSize: limits.headers, maxHeaderFieldCount: limits.headerCount)
        let answering = Answering(responder: listener.responder, budget: limits.bodies, drain: drain, logger: logger)
        let (refusals, logger, told, waiting) = (RefusalLog(), logger, told, waiting)
        return HTTP1Channel(
            responder: { request, writer, channel in try await answering.answer(request, on: channel, to: writer) },
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [
                    WaitingRequests(limit: limits.requests, told: told), RefusedHead(log: refusals, logger: logger),
                    ArrivalDeadline(limit: limits.arrival), waiting.map { ClientsTurn($0) },
                ].compactMap { $0 },
                idleTimeout: limits.idle,
                httpDecoderConfiguration: decoder))
    }

    private func open(_ connection: HTTP1Channel, _ quiescing: ServerQuiescingHelper) async throws -> Server {
        let (limit, opening, logger) = (listener.limits.idle, listener.limits.opening, logger)
        let setUp: @Sendable (any Channel) -> EventLoopFuture<AcceptedConnection> = { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandlers(StalledReader(limit: limit), FirstByte(limit: opening))
            }.flatMap { connection.setup(channel: channel, logger: logger) }.flatMapThrowing { value in
                let accepted = AcceptedConnection(value) { await connection.handle(value: value, logger: logger) }
                let pipeline = channel.pipeline.syncOperations
                let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
                try pipeline.addHandlers([HeadRules(), OldExpectation()], position: .after(parser))
                return accepted
            }
        }
        do {
            guard let socket = listener.socket else {
                return try await bootstrap(quiescing).bind(host: listener.address.host, port: listener.address.port, childChannelInitializer: setUp)
            }
            let server = try await bootstrap(quiescing).bind(socket.descriptor, childChannelInitializer: setUp)
            // The framework has listened with a queue of its own length.
            socket.listen(backlog: Self.backlog)
            return server
        } catch let error as IOError {
            throw ServerStartError(error, name: listener.name, address: listener.address)
        } catch is SocketAddressError.UnknownHost {
            throw ServerStartError.cannotListen(name: listener.name, address: listener.address, reason: "the host is not known")
        }
    }

    private func bootstrap(_ quiescing: ServerQuiescingHelper) -> ServerBootstrap {
        let (gate, waiting, told) = (listener.limits.connections, waiting, told)
        return ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: Self.backlog)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // The gate is asked before each: several at once would be more than there may be, and some of them closed that had only to wait.
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
