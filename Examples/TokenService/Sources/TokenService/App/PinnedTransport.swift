import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import OstiaryMobile

/// Calls servers whose keys the app knows, and nobody else: the certificate has to be good as always, and of one of the server's pinned keys. Otherwise no
/// byte of the request goes out.
///
/// It is a `Transport` of the SDK, so an app may give it to its `Ports` as well, with the keys of the authentication server.
final class PinnedTransport: Transport {
    /// By origin: `https://api.example.com:8443`, with the port in any case.
    private let clients: [String: HTTPClient]

    /// - Parameters:
    ///   - pins: by origin; the keys that are in use and those that are kept for later.
    ///   - trustRoots: a PEM file, for certificates of one's own authority; nil for the system's.
    init(_ pins: [String: Set<KeyPin>], trustRoots: String? = nil) {
        clients = pins.mapValues { Self.client($0, trustRoots) }
    }

    deinit { for client in clients.values { client.shutdown { _ in } } }

    /// Under which its pins are; nil for an address that is none of https.
    static func origin(of address: URL) -> String? {
        guard address.scheme == "https", let host = address.host(), address.user == nil else { return nil }
        return "https://\(host):\(address.port ?? 443)"
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard let origin = Self.origin(of: request.url), let client = clients[origin] else { throw .addressRefused }
        do {
            return try await Self.answer(of: client, to: request)
        } catch {
            throw Task.isCancelled ? .cancelled : TransportError(ofCall: error)
        }
    }

    /// The client's own limit ends with the head of an answer: this one is for the whole call.
    private static func answer(of client: HTTPClient, to request: TransportRequest) async throws -> TransportResponse {
        try await withThrowingTaskGroup(of: TransportResponse.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await exchange(request, with: client) }
            group.addTask {
                try await Task.sleep(for: .seconds(request.timeout))
                throw TransportError.unreachable
            }
            guard let response = try await group.next() else { throw TransportError.unreachable }
            return response
        }
    }

    private static func exchange(_ request: TransportRequest, with client: HTTPClient) async throws -> TransportResponse {
        var message = HTTPClientRequest(url: request.url.absoluteString)
        message.headers.add(name: "accept-encoding", value: "identity")
        if let body = request.body {
            message.method = .POST
            message.headers.add(name: "content-type", value: "application/octet-stream")
            message.body = .bytes(ByteBuffer(bytes: body))
        }
        for (name, value) in request.fields { message.headers.replaceOrAdd(name: name, value: value) }
        let answer = try await client.execute(message, deadline: .now() + .milliseconds(Int64(request.timeout * 1_000)))
        guard answer.headers["content-encoding"].allSatisfy({ $0.lowercased() == "identity" }) else { throw TransportError.encoded }
        let body = try await answer.body.collect(upTo: TransportResponse.longestBody)
        try Task.checkCancellation()
        var fields: [String: String] = [:]
        for name in request.answerFields where answer.headers[name].count == 1 { fields[name] = answer.headers[name][0] }
        return TransportResponse(status: Int(answer.status.code), body: Array(buffer: body), fields: fields)
    }

    /// On threads of NIO's everywhere, so that TLS is NIOSSL's; and HTTP/1.1 alone, so that no connection begins otherwise.
    private static func client(_ pins: Set<KeyPin>, _ trustRoots: String?) -> HTTPClient {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let trustRoots { tls.trustRoots = .file(trustRoots) }
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        // A key does not become right by trying again.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.http1_1ConnectionDebugInitializer = { channel in check(channel, against: pins) }
        return HTTPClient(eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), configuration: configuration)
    }

    /// When a connection is there and its certificate was verified, and before a request goes out by it. The key is that of the server's own certificate,
    /// which the handshake has proved: those that it brings along prove nothing.
    private static func check(_ channel: any Channel, against pins: Set<KeyPin>) -> EventLoopFuture<Void> {
        do {
            guard let certificate = try channel.pipeline.syncOperations.nioSSL_peerCertificate(), pins.contains(try KeyPin(certificate)) else {
                throw OtherKey()
            }
            return channel.eventLoop.makeSucceededVoidFuture()
        } catch {
            // In the next turn: the client has given the connection up by then, and leaves it to whoever refused it.
            channel.eventLoop.execute { channel.close(promise: nil) }
            return channel.eventLoop.makeFailedFuture(error)
        }
    }
}

extension TransportError {
    /// What a call came to that came to nothing.
    fileprivate init(ofCall error: any Error) {
        self =
            switch error {
            case let error as TransportError: error
            case is OtherKey, is NIOSSLError, is NIOSSLExtraError: .untrusted
            case is NIOTooManyBytesError: .tooLong
            default: .unreachable
            }
    }
}
