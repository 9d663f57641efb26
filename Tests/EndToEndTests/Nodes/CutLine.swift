import NIOCore
import NIOPosix
import OstiaryTesting
import Synchronization

/// A line to one or more places, which a test cuts: bytes go through it as they are. Towards several places its connections take turns, and go to the next
/// when one is not there, as those of a balancer do that remembers nobody.
final class CutLine: Sendable {
    enum Place: Sendable {
        case port(Int)
        /// A Unix socket.
        case path(String)
    }

    enum Condition: Sendable {
        case passing
        /// What is open breaks off, and what comes anew too.
        case cut
        /// Nothing gets through and nothing breaks off: what is said meanwhile arrives afterwards.
        case silent
    }

    private struct State {
        var condition = Condition.passing
        var channels: [ObjectIdentifier: any Channel] = [:]
        var turn = 0
        var met: [Condition: Int] = [:]
    }

    private let state = Mutex(State())
    private let targets: [Place]
    private let listener = Mutex<(any Channel)?>(nil)

    /// - Parameters:
    ///   - place: where it listens.
    ///   - targets: where it leads.
    init(at place: Place, to targets: [Place]) async throws {
        self.targets = targets
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { [weak self] client in
                self?.lead(client) ?? client.eventLoop.makeFailedFuture(NowhereToGo())
            }
        let bound: any Channel
        switch place {
        case .port(let number): bound = try await bootstrap.bind(host: "127.0.0.1", port: number).get()
        case .path(let path): bound = try await bootstrap.bind(unixDomainSocketPath: path).get()
        }
        listener.withLock { $0 = bound }
    }

    deinit {
        listener.withLock { $0?.close(promise: nil) }
        for channel in state.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
    }

    /// Connections that have come so far, whatever became of them.
    var led: Int { state.withLock { $0.turn } }

    /// Ends of connections that are open now.
    var open: Int { state.withLock { $0.channels.count } }

    /// Ends of connections that it has broken off or refused so far (``Condition/cut``), or held (``Condition/silent``): a fault that meets none shows nothing.
    /// They count when it is done. Of a connection that is broken off it may be one: the other end goes with it.
    func met(_ condition: Condition) -> Int { state.withLock { $0.met[condition, default: 0] } }

    /// Ends when all that is open has become so, and whatever comes does.
    func become(_ condition: Condition) async {
        let channels = state.withLock { state in
            state.condition = condition
            return Array(state.channels.values)
        }
        // One that is over by now needs nothing.
        for channel in channels { try? await bring(channel, to: condition).get() }
    }

    /// It counts once it is so.
    private func bring(_ channel: any Channel, to condition: Condition) -> EventLoopFuture<Void> {
        let done = condition == .cut ? channel.close(mode: .all) : channel.setOption(.autoRead, value: condition == .passing)
        return done.map { self.note(condition) }
    }

    private func note(_ condition: Condition) {
        guard condition != .passing else { return }
        state.withLock { $0.met[condition, default: 0] += 1 }
    }

    private func lead(_ client: any Channel) -> EventLoopFuture<Void> {
        let (condition, turn) = state.withLock { state in
            state.turn += 1
            return (state.condition, state.turn)
        }
        guard condition != .cut else {
            client.closeFuture.whenComplete { [weak self] _ in self?.note(.cut) }
            return client.eventLoop.makeFailedFuture(NowhereToGo())
        }
        return connect(on: client.eventLoop, turn, left: targets.count).flatMapThrowing { server in
            try client.pipeline.syncOperations.addHandler(Passing(to: server))
            try server.pipeline.syncOperations.addHandler(Passing(to: client))
            self.keep([client, server])
        }
    }

    private func connect(on loop: any EventLoop, _ turn: Int, left: Int) -> EventLoopFuture<any Channel> {
        guard left > 0 else { return loop.makeFailedFuture(NowhereToGo()) }
        // Nothing of what it says is read before somebody is there to pass it on.
        let bootstrap = ClientBootstrap(group: loop).channelOption(.autoRead, value: false)
        let connected =
            switch targets[turn % targets.count] {
            case .port(let number): bootstrap.connect(host: "127.0.0.1", port: number)
            case .path(let path): bootstrap.connect(unixDomainSocketPath: path)
            }
        return connected.flatMapError { _ in self.connect(on: loop, turn + 1, left: left - 1) }
    }

    private func keep(_ channels: [any Channel]) {
        let condition = state.withLock { state in
            for channel in channels { state.channels[ObjectIdentifier(channel)] = channel }
            return state.condition
        }
        for channel in channels {
            channel.closeFuture.whenComplete { [weak self] _ in
                self?.state.withLock { $0.channels[ObjectIdentifier(channel)] = nil }
            }
            _ = bring(channel, to: condition)
        }
    }

    private struct NowhereToGo: Error {}

    /// Hands on what one side says, and its end.
    private final class Passing: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let other: any Channel

        init(to other: any Channel) { self.other = other }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { other.writeAndFlush(unwrapInboundIn(data), promise: nil) }
        func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
