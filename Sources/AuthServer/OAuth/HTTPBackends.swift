import AsyncHTTPClient
import HTTPCalls
import HTTPService
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import OAuthProvider
import OstiaryTokens

/// The way to the backends of clients over HTTP: what goes out from here to addresses that an operator registered, and nothing comes back but a status.
///
/// No redirect is followed and no body read. Each call has a connection of its own, because one that was kept may have been closed meanwhile, which would
/// cost a try; at most eight at a time of each kind to one host, so that a backend is not flooded when many log out at once.
///
/// Who registers a client chooses the name. So the calls have a thread of their own, as those of services behind virtual servers (``HTTPServicesBehind``), and a
/// name is looked up ahead: that thread makes its lookups one after the other, so one name that nobody answers for held up all other backends.
final class HTTPBackends: LogoutGateway, PingGateway {
    /// What is told, as the log names it.
    enum Work: String { case logouts, pings }

    private let client: HTTPClient
    /// The process's, to its end.
    private static let thread = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let names: NameLookups
    private let patience: Duration
    private let logger: Logger
    /// One line a minute for each address.
    private let complaints = LineLimit<String>()

    /// - Parameters:
    ///   - patience: after which a call is given up, from the lookup of its name to the last byte of the head of its answer; less in tests.
    ///   - names: where the names of backends are looked up ahead of each call.
    init(logger: Logger, patience: Duration = .seconds(5), names: NameLookups = NameLookups()) {
        var configuration = HTTPClient.Configuration.calls(connect: min(.seconds(2), TimeAmount(patience)))
        // Whoever calls has eight of each kind under way: none waits here for a connection, which would be taken for silence.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 16
        client = HTTPClient(eventLoopGroupProvider: .shared(Self.thread), configuration: configuration)
        self.patience = patience
        self.logger = logger
        self.names = names
    }

    /// On which the calls are made.
    var threads: any EventLoopGroup { client.eventLoopGroup }

    deinit { client.shutdown { _ in } }

    func send(_ logoutToken: String, to address: String) async -> Int? {
        // A compact JWS has nothing in it that a form would escape (RFC 7515 §7.1).
        await post("logout_token=\(logoutToken)".utf8, "application/x-www-form-urlencoded", to: address, for: .logouts)
    }

    func ping(_ body: JSONObject, token: PresentedSecret, at address: String) async -> Int? {
        await post(body.encoded, "application/json", bearer: token, to: address, for: .pings)
    }

    private func post(
        _ body: some Sequence<UInt8> & Sendable, _ type: String, bearer: PresentedSecret? = nil, to address: String, for work: Work
    ) async -> Int? {
        // Looked at once more: over a port that there can't be the client would end this process.
        guard let address = BackendAddress(address) else {
            complain(work, address: "", [.error: "no address that can be called"])
            return nil
        }
        var request = HTTPClientRequest(url: address.text)
        request.method = .POST
        request.headers.add(name: "content-type", value: type)
        request.headers.add(name: "connection", value: "close")
        if let bearer { request.headers.add(name: "authorization", value: "Bearer \(bearer.text)") }
        request.body = .bytes(ByteBuffer(bytes: body))
        do {
            let status = try await within(patience) { [client, names, patience, request] in
                try await names.wait(for: address.name)
                return Int(try await client.execute(request, timeout: TimeAmount(patience)).status.code)
            }
            if DeliveryVerdict(status: status) != .delivered { complain(work, address: address.withoutQuery, [.status: "\(status)"]) }
            return status
        } catch {
            let silence = BackendSilence(error, patience: TimeAmount(patience), isSecure: address.text.lowercased().hasPrefix("https:"))
            if !Task.isCancelled { complain(work, address: address.withoutQuery, [.error: silence.words]) }
            return nil
        }
    }

    private func complain(_ work: Work, address: String, _ facts: [LogKey: String]) {
        guard let heldBack = complaints.admit("\(work.rawValue) \(address)") else { return }
        var facts = facts
        facts[.work] = work.rawValue
        facts[.address] = address
        if heldBack > 0 { facts[.heldback] = "\(heldBack)" }
        logger.line(.warning, "a client's backend was not told", facts)
    }
}
