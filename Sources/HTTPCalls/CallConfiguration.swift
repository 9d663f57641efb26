import AsyncHTTPClient
import NIOCore
import NIOSSL

extension HTTPClient.Configuration {
    /// How the programs of this package call servers: HTTP/1.1, nothing followed, nothing unpacked, no second try behind the caller's back, and no answer
    /// that the client cannot take (``StatusCheck``).
    ///
    /// Whoever answers may be anybody: a link leads a phone to its server, and a server's address may have been taken by another program.
    /// - Parameters:
    ///   - connect: after which an address is given up.
    ///   - tls: the client's own when nil.
    package static func calls(connect: TimeAmount, tls: TLSConfiguration? = nil, proxy: Proxy? = nil) -> Self {
        var configuration = Self(tlsConfiguration: tls, redirectConfiguration: .disallow, proxy: proxy, decompression: .disabled)
        configuration.timeout.connect = connect
        configuration.httpVersion = .http1Only
        // Nobody of ours traces, and the client would begin and end a span of nothing for each call.
        configuration.tracing.tracer = nil
        // The reason of a failure is told at once and as it is; who calls tries again.
        configuration.connectionPool.retryConnectionEstablishment = false
        // For debugging by its name; it is the only place where the client lets others at a connection.
        configuration.http1_1ConnectionDebugInitializer = StatusCheck.add
        return configuration
    }
}
