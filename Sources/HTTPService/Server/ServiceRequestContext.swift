import Hummingbird
import Logging
import NIOCore

/// What a route knows about its request beside the request.
package struct ServiceRequestContext: RequestContext, RequestOfPeer {
    package var coreContext: CoreRequestContextStorage
    /// The other end of the connection; nil where there is no socket.
    let address: SocketAddress?
    /// Who asked the proxy at that end, where one is trusted that says so.
    var forwarded: SocketAddress?
    /// For whoever answers as long as somebody listens; nil where no listener of ours has the connection.
    package private(set) var otherEnd: OtherEnd?
    /// Who asks, if a middleware of the server found out; what it is that server knows.
    package var caller: (any Sendable)?

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        address = source.channel.remoteAddress
        // One name for one thing: the answers call it that, too. Only a server of the framework's own names it otherwise.
        guard let id = logger[metadataKey: "hb.request.id"] else { return }
        logger[metadataKey: LogKey.requestId.rawValue] = id
        logger[metadataKey: "hb.request.id"] = nil
    }

    init(source: ApplicationRequestContextSource, otherEnd: OtherEnd) {
        self.init(source: source)
        self.otherEnd = otherEnd
    }

    /// Address of who asks, without the port: of the other end of the connection, or of who asked a trusted proxy there; nil where neither has one.
    package var remoteAddress: String? { (forwarded ?? address)?.ipAddress }

    /// Who asks, as far as limits tell one from another.
    package var peer: Peer? { (forwarded ?? address).flatMap(Peer.init) }

    /// The trusted proxy that says who asks, as far as limits tell one from another; nil where none does.
    package var proxy: String? { forwarded.map { _ in address.flatMap(Peer.init)?.description ?? "unix" } }

    /// What a body may hold unless a route says otherwise.
    package var maxUploadSize: Int { ServiceLimits.standard.body }
}
