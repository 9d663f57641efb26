import AsyncHTTPClient
import Authentication
import HTTPCalls
import HTTPService
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import OstiaryProtocol

/// The way to the services behind virtual servers over HTTP (docs/token-service.md, docs/data-service.md): one POST, and what comes back is handed on as it is.
///
/// No redirect is followed, nothing unpacked, and no more read than an answer may have. Each call has a connection of its own, because one that was kept may have been
/// closed meanwhile, which would cost the person a try. The calls have a thread of their own: a name that nobody answers for keeps all lookups of a thread, and logins ask
/// the second-factor server by its name.
final class HTTPServicesBehind: TokenServiceGateway, DataServiceGateway {
    private let client: HTTPClient
    /// The process's, to its end.
    private static let thread = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let names: NameLookups
    private let logger: Logger
    private let second: Duration
    /// One line a minute for each.
    private let complaints = LineLimit<Complaint>()

    private struct Complaint: Hashable {
        let kind: ServiceKind
        let server: ServerID
    }

    /// - Parameters:
    ///   - second: one second of a service's patience; less in tests.
    ///   - names: where the names of services are looked up ahead of each call.
    init(logger: Logger, second: Duration = .seconds(1), names: NameLookups = NameLookups()) {
        var configuration = HTTPClient.Configuration.calls(connect: .seconds(2))
        // How many may be under way is counted where they begin: none waits here for a connection, which would be taken for silence.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1_024
        client = HTTPClient(eventLoopGroupProvider: .shared(Self.thread), configuration: configuration)
        self.logger = logger
        self.second = second
        self.names = names
    }

    /// On which the calls are made.
    var threads: any EventLoopGroup { client.eventLoopGroup }

    deinit { client.shutdown { _ in } }

    func ask(_ call: TokenServiceCall) async -> ServiceAnswer { await ask(call.service, call.facts) }
    func ask(_ call: DataServiceCall) async -> ServiceAnswer { await ask(call.service, call.facts) }

    private func ask(_ service: ServiceBehind, _ facts: ByteBuffer) async -> ServiceAnswer {
        let patience = second * Int(service.patience)
        do {
            // Opened for this one call; a secret that cannot be opened is a fault of ours, and no answer either.
            let request = try Self.request(facts, to: service, secret: try service.secret.bytes())
            let answer = try await within(patience) { [client, names] in
                try await names.wait(for: service.address.host)
                return try await Self.answer(of: service.kind, to: try await client.execute(request, timeout: TimeAmount(patience)))
            }
            switch answer {
            case .bytes(let bytes): return .bytes(bytes)
            case .fault(let trouble, let fact, let word): return complain(service, trouble, fact, word)
            }
        } catch is NIOTooManyBytesError {
            return complain(service, .answer, .error, "more than \(service.kind.mostBytes) bytes")
        } catch is TimeLimitPassed {
            return complain(service, .unavailable, .error, "no answer in \(service.patience) seconds")
        } catch {
            let silence = BackendSilence(error, patience: TimeAmount(patience), isSecure: service.address.text.hasPrefix("https:"))
            return complain(service, .unavailable, .error, silence.words)
        }
    }

    /// What a service answered: bytes, or what is wrong, as the log has it.
    private enum Heard: Sendable {
        case bytes([UInt8])
        case fault(ServiceTrouble, LogKey, String)
    }

    private static func request(_ facts: ByteBuffer, to service: ServiceBehind, secret: [UInt8]) throws -> HTTPClientRequest {
        var request = HTTPClientRequest(url: service.address.text)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.headers.add(name: "authorization", value: "Bearer \(String(decoding: secret, as: UTF8.self))")
        request.headers.add(name: "accept-encoding", value: "identity")
        request.headers.add(name: "connection", value: "close")
        request.body = .bytes(facts)
        return request
    }

    private static func answer(of kind: ServiceKind, to response: HTTPClientResponse) async throws -> Heard {
        let status = Int(response.status.code)
        if let trouble = ServiceTrouble(status: status) { return .fault(trouble, .status, "\(status)") }
        // Whatever else is done to the bytes: by a second field, or on the way, before they are cut into chunks.
        let transfer = response.headers[canonicalForm: "transfer-encoding"].map { $0.lowercased() }
        let packings = response.headers["content-encoding"].map { $0.lowercased() } + transfer.filter { $0 != "chunked" }
        if let packing = packings.first(where: { $0 != "identity" }) { return .fault(.answer, .error, "packed: \(word(of: packing))") }
        // Of one that says neither nobody knows whether it was cut off. “identity” is not chunks: its end is that of the connection (RFC 9112 §6.3).
        guard transfer.isEmpty ? response.headers.contains(name: "content-length") : transfer == ["chunked"]
        else { return .fault(.answer, .error, "neither Content-Length nor chunks") }
        let body = try await response.body.collect(upTo: kind.mostBytes)
        guard body.readableBytes >= kind.fewestBytes else { return .fault(.answer, .error, "no bytes") }
        return .bytes(Array(buffer: body))
    }

    /// A coding as its name may be (RFC 9110 §8.4.1): whatever else a service says there would stand in our log as words of ours.
    private static func word(of coding: String) -> String {
        String(coding.prefix(32).prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
    }

    private func complain(_ service: ServiceBehind, _ trouble: ServiceTrouble, _ fact: LogKey, _ word: String) -> ServiceAnswer {
        if !Task.isCancelled, let heldBack = complaints.admit(Complaint(kind: service.kind, server: service.server)) {
            var facts: [LogKey: String] = [.server: service.server.text, .address: service.address.text, fact: word]
            if heldBack > 0 { facts[.heldback] = "\(heldBack)" }
            logger.line(.warning, service.kind.complaint, facts)
        }
        return .trouble(trouble)
    }
}

extension ServiceKind {
    fileprivate var mostBytes: Int { self == .token ? ServiceToken.mostBytes : ServiceData.mostBytes }
    /// A token has some; a write may have nothing to say.
    fileprivate var fewestBytes: Int { self == .token ? 1 : 0 }
    fileprivate var complaint: String { self == .token ? "a token service gave no token" : "a Data Service gave no data" }
}

extension DataServiceCall {
    /// The body of the request. `level` says what is known, and there is no other: no word of a login that the account has at the moment.
    var facts: ByteBuffer {
        JSONWriter.object { writer in
            writer.member("requestid", Base64URL.encode(id))
            writer.member("serverid", service.server.text)
            writer.member("accountid", account.text)
            writer.member("userid", userID)
            writer.member("deviceid", device?.text)
            writer.member("level", "device")
            writer.member("payload", Base64URL.encode(payload))
        }
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
            writer.member("deviceid", device?.text)
            writer.member("logintime", number: loggedInAt.seconds)
            writer.member("authtime", number: authentication.time?.seconds)
            writer.member("amr", authentication.amr)
            writer.member("acr", authentication.acr)
            writer.member("binding", authentication.binding)
            writer.member("secondfactor", authentication.factors)
        }
    }
}
