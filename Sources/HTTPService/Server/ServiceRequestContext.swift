import Hummingbird
import Logging
import NIOCore

/// What a route knows about its request beside the request.
package struct ServiceRequestContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    private let address: SocketAddress?
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

    /// Address of the other end of the connection, without the port; nil in tests without a socket.
    package var remoteAddress: String? { address?.ipAddress }

    /// Who is at the other end, as far as limits tell one from another.
    package var peer: Peer? { address.flatMap(Peer.init) }

    /// What a body may hold unless a route says otherwise.
    package var maxUploadSize: Int { ServiceLimits.standard.body }
}
