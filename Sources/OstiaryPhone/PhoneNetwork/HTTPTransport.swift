import AsyncHTTPClient
import Foundation
import HTTPCalls
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import OstiaryMobile

/// The way of `ostiary phone` to its servers: HTTP/1.1, over TLS except to this very machine; no cookies, no cache, no redirects, nothing unpacked.
///
/// Anybody's code leads a phone to any server. So an answer is counted while it arrives, and the connection is closed at the first byte too many; one
/// that says that it is packed is refused by its head. `URLSession` can do neither on Linux: its library unpacks what nobody asked to be packed, queues
/// it without end, and is done with that before it is cancelled.
///
/// A certificate has to be one that the system trusts, and made for the name or the number in the address.
final class HTTPTransport: Transport {
    /// More than a phone has logins that are watched: each keeps a connection while it waits for news.
    private static let mostConnections = 32
    /// Less than any server or proxy waits, so that a call seldom meets the end of its connection.
    private static let keptIdle = TimeAmount.seconds(5)

    private let proxies: ProxySettings
    private let direct: HTTPClient
    private let proxied: HTTPClient?

    /// - Parameters:
    ///   - proxies: those of this process.
    ///   - trustRoots: the system's; others in tests.
    init(
        proxies: ProxySettings = ProxySettings(environment: ProcessInfo.processInfo.environment), trustRoots: NIOSSLTrustRoots = .default
    ) {
        self.proxies = proxies
        direct = Self.client(nil, trustRoots)
        proxied = if case .through(let proxy) = proxies.choice { Self.client(proxy, trustRoots) } else { nil }
    }

    deinit {
        direct.shutdown { _ in }
        proxied?.shutdown { _ in }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard ServerAddress.isAllowed(request.url) else { throw .addressRefused }
        let client: HTTPClient
        switch proxies.route(to: request.url) {
        case .direct: client = direct
        case .proxy:
            guard let proxied else { throw .unreachable }
            client = proxied
        case .none: throw .unreachable
        }
        do {
            return try await Self.answer(of: client, to: request)
        } catch {
            throw Task.isCancelled ? .cancelled : TransportError(failed: error)
        }
    }

    /// The client's own limits end with the head of an answer, or begin anew with each byte of its body: this one is for the whole call.
    private static func answer(of client: HTTPClient, to request: TransportRequest) async throws -> TransportResponse {
        let limit = Duration.milliseconds(Int64(request.timeout * 1_000))
        return try await withThrowingTaskGroup(of: TransportResponse.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                let deadline = NIODeadline.now() + TimeAmount(limit)
                do {
                    return try await exchange(request, with: client, until: deadline)
                } catch let error where request.fields.isEmpty && isAboutKeptConnection(error) {
                    return try await exchange(request, with: client, until: deadline)
                }
            }
            group.addTask {
                try await Task.sleep(for: limit)
                throw TransportError.unreachable
            }
            guard let response = try await group.next() else { throw TransportError.unreachable }
            return response
        }
    }

    private static func exchange(
        _ request: TransportRequest, with client: HTTPClient, until deadline: NIODeadline
    ) async throws -> TransportResponse {
        let response = try await client.execute(message(request), deadline: deadline)
        guard !isPacked(response.headers) else { throw TransportError.encoded }
        let body = try await response.body.collect(upTo: TransportResponse.longestBody)
        // A call that is given up ends its body too, wherever it is.
        try Task.checkCancellation()
        let fields = request.told(of: response.headers.map { (name: $0.name, value: $0.value) })
        return TransportResponse(status: Int(response.status.code), body: Array(buffer: body), fields: fields)
    }

    /// Whether the connection may have been one of an earlier call, which the server had closed meanwhile. Then the same bytes go out once more, by
    /// another one: where the first did arrive the server says REPLAYED, which is no answer either (protocol §4). Not so a call with fields of its own, which
    /// is none of AP1: a code that arrives twice ends what it gave.
    private static func isAboutKeptConnection(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError: error == .remoteConnectionClosed
        case let error as IOError: [ECONNRESET, EPIPE].contains(error.errnoCode)
        case ChannelError.ioOnClosedChannel, ChannelError.alreadyClosed, ChannelError.eof: true
        default: false
        }
    }

    private static func message(_ request: TransportRequest) -> HTTPClientRequest {
        var message = HTTPClientRequest(url: request.url.absoluteString)
        message.headers.add(name: "accept-encoding", value: "identity")
        if let body = request.body {
            message.method = .POST
            message.headers.add(name: "content-type", value: "application/octet-stream")
            message.body = .bytes(ByteBuffer(bytes: body))
        }
        for (name, value) in request.fields { message.headers.replaceOrAdd(name: name, value: value) }
        return message
    }

    /// Whether an answer has a content coding (RFC 9110 §8.4), which was not asked for.
    private static func isPacked(_ headers: HTTPHeaders) -> Bool {
        headers[canonicalForm: "content-encoding"].contains { !$0.isEmpty && $0.lowercased() != "identity" }
    }

    private static func client(_ proxy: HTTPClient.Configuration.Proxy?, _ trustRoots: NIOSSLTrustRoots) -> HTTPClient {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.trustRoots = trustRoots
        var configuration = HTTPClient.Configuration.calls(connect: .seconds(10), tls: tls, proxy: proxy)
        configuration.connectionPool.idleTimeout = keptIdle
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = mostConnections
        return HTTPClient(eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), configuration: configuration)
    }
}

extension TransportError {
    /// What a call came to that came to nothing.
    init(failed error: any Error) {
        self =
            switch error {
            case let error as TransportError: error
            case is NIOTooManyBytesError: .tooLong
            case let error where Self.isAboutCertificate(error): .untrusted
            default: .unreachable
            }
    }

    /// A certificate that nobody vouches for, out of its time, or of another host.
    private static func isAboutCertificate(_ error: any Error) -> Bool {
        switch error {
        // The library below has one error for a handshake, and says in words what was wrong with it.
        case NIOSSLError.handshakeFailed(.sslError(let reasons)): reasons.contains { $0.description.contains("CERTIFICATE_VERIFY_FAILED") }
        case NIOSSLError.noCertificateToValidate, NIOSSLError.unableToValidateCertificate: true
        case let error as NIOSSLExtraError: [.failedToValidateHostname, .serverHostnameImpossibleToMatch].contains(error)
        default: false
        }
    }
}
