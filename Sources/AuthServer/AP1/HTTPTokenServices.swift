import AsyncHTTPClient
import Authentication
import HTTPCalls
import HTTPService
import Logging
import NIOCore
import NIOHTTP1
import OstiaryProtocol

/// The way to token services over HTTP (docs/token-service.md): one POST, and what comes back is handed on as it is.
///
/// No redirect is followed, nothing unpacked, and no more read than a token may have. Each call has a connection of its own, because one that was kept may have been
/// closed meanwhile, which would cost the person a try.
final class HTTPTokenServices: TokenServiceGateway {
    private let client: HTTPClient
    private let logger: Logger
    private let second: Duration
    /// One line a minute for each virtual server.
    private let complaints = LineLimit<ServerID>()

    /// - Parameter second: one second of a service's patience; less in tests.
    init(logger: Logger, second: Duration = .seconds(1)) {
        var configuration = HTTPClient.Configuration.calls(connect: .seconds(2))
        // How many may be under way is counted where they begin: none waits here for a connection, which would be taken for silence.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1_024
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        self.logger = logger
        self.second = second
    }

    deinit { client.shutdown { _ in } }

    func ask(_ call: TokenServiceCall) async -> TokenServiceAnswer {
        let service = call.service
        let patience = second * Int(service.patience)
        do {
            // Opened for this one call; a secret that cannot be opened is a fault of ours, and no token either.
            let request = try Self.request(call, secret: try service.secret.bytes())
            // The client's own limits end with the head of an answer, or begin anew with each byte of its body.
            let answer = try await within(patience) { [client] in
                try await Self.answer(to: try await client.execute(request, timeout: TimeAmount(patience)))
            }
            switch answer {
            case .token(let bytes): return .token(bytes)
            case .fault(let trouble, let fact, let word): return complain(call, trouble, fact, word)
            }
        } catch is NIOTooManyBytesError {
            return complain(call, .answer, .error, "more than \(ServiceToken.mostBytes) bytes")
        } catch SecondFactorTrouble.timeout {
            return complain(call, .unavailable, .error, "no answer in \(service.patience) seconds")
        } catch {
            let silence = BackendSilence(error, patience: TimeAmount(patience), isSecure: service.address.text.hasPrefix("https:"))
            return complain(call, .unavailable, .error, silence.words)
        }
    }

    /// What a service answered: bytes, or what is wrong, as the log has it.
    private enum Heard: Sendable {
        case token([UInt8])
        case fault(TokenServiceTrouble, LogKey, String)
    }

    private static func request(_ call: TokenServiceCall, secret: [UInt8]) throws -> HTTPClientRequest {
        var request = HTTPClientRequest(url: call.service.address.text)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.headers.add(name: "authorization", value: "Bearer \(String(decoding: secret, as: UTF8.self))")
        request.headers.add(name: "accept-encoding", value: "identity")
        request.headers.add(name: "connection", value: "close")
        request.body = .bytes(call.facts)
        return request
    }

    private static func answer(to response: HTTPClientResponse) async throws -> Heard {
        let status = Int(response.status.code)
        if let trouble = TokenServiceTrouble(status: status) { return .fault(trouble, .status, "\(status)") }
        // Whatever else is done to the bytes: by a second field, or on the way, before they are cut into chunks.
        let transfer = response.headers[canonicalForm: "transfer-encoding"].map { $0.lowercased() }
        let packings = response.headers["content-encoding"].map { $0.lowercased() } + transfer.filter { $0 != "chunked" }
        if let packing = packings.first(where: { $0 != "identity" }) { return .fault(.answer, .error, "packed: \(packing.prefix(32))") }
        // Of one that says neither nobody knows whether it was cut off. “identity” is not chunks: its end is that of the connection (RFC 9112 §6.3).
        guard transfer.isEmpty ? response.headers.contains(name: "content-length") : transfer == ["chunked"]
        else { return .fault(.answer, .error, "neither Content-Length nor chunks") }
        let body = try await response.body.collect(upTo: ServiceToken.mostBytes)
        guard body.readableBytes > 0 else { return .fault(.answer, .error, "no bytes") }
        return .token(Array(buffer: body))
    }

    private func complain(_ call: TokenServiceCall, _ trouble: TokenServiceTrouble, _ fact: LogKey, _ word: String) -> TokenServiceAnswer {
        if !Task.isCancelled, let heldBack = complaints.admit(call.service.server) {
            var facts: [LogKey: String] = [.server: call.service.server.text, .address: call.service.address.text, fact: word]
            if heldBack > 0 { facts[.heldback] = "\(heldBack)" }
            logger.line(.warning, "a token service gave no token", facts)
        }
        return .trouble(trouble)
    }
}

extension TokenServiceCall {
    /// The body of the request, in the names of `getSession`.
    var facts: ByteBuffer {
        JSONWriter.object { writer in
            writer.member("requestid", Base64URL.encode(id))
            writer.member("serverid", service.server.text)
            writer.member("sid", session.text)
            writer.member("accountid", account.text)
            writer.member("userid", userID)
            writer.member("deviceid", device.text)
            writer.member("logintime", number: loggedInAt.seconds)
            writer.member("authtime", number: authentication.time?.seconds)
            writer.member("amr", authentication.amr)
            writer.member("acr", authentication.acr)
            writer.member("binding", authentication.binding)
            writer.member("secondfactor", authentication.factors)
        }
    }
}
