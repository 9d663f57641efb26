import AsyncHTTPClient
import HTTPCalls
import HTTPService
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1

/// Stands before a server of the demonstration under that server's own address, and hands on what comes from either side. A tap hears it.
///
/// Bodies and headers pass as they are, but for one: who may show the pages in a frame. The server says nobody; here the demonstration may,
/// whose page is made by the process that runs this relay. So no switch is needed in a server that others run (docs/decisions/0017).
struct Relay: RouterMiddleware {
    typealias Context = ServiceRequestContext

    /// Larger than any message of AP1.
    private static let largestBody = 1 << 20
    /// Those that belong to one connection (RFC 9110 §7.6.1), and those that are made anew on this side.
    private static let ownToAConnection: Set<String> = [
        "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "proxy-connection", "date",
    ]

    private let client: HTTPClient
    private let origin: String
    private let tap: any RelayTap
    private let framedBy: String?

    /// - Parameters:
    ///   - port: of the loopback address, where the server listens.
    ///   - framedBy: origin of the page that shows the server's pages in a frame.
    init(to port: Int, client: HTTPClient, tap: any RelayTap, framedBy: String? = nil) {
        origin = "http://127.0.0.1:\(port)"
        self.client = client
        self.tap = tap
        self.framedBy = framedBy
    }

    /// A client for relays: many connections, because pages and phones wait on them, and no time after which an answer is given up.
    static func makeClient() -> HTTPClient {
        var configuration = HTTPClient.Configuration.calls(connect: .seconds(2))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// A router that answers everything by this relay.
    var router: Router<ServiceRequestContext> {
        let router = Router(context: ServiceRequestContext.self)
        router.add(middleware: self)
        return router
    }

    func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
        // A tunnel to whomever the caller names is what a proxy makes (RFC 9110 §9.3.6); this one speaks to one server.
        if request.method == .connect { return Response(status: .methodNotAllowed) }
        guard let address = upstreamAddress(of: request.uri.string) else { return Response(status: .badRequest) }
        let body: [UInt8]
        do { body = try await request.bytes(limit: Self.largestBody) } catch { return Response(status: .contentTooLarge) }
        let answerTap = await tap.heard(request.method, request.uri.path, body)
        let answer: HTTPClientResponse
        do { answer = try await client.execute(upstream(request, body, at: address), deadline: .distantFuture) } catch {
            // As a server that is down: a gateway's answer is no answer to a phone.
            return Response(status: .badGateway)
        }
        let head = headers(of: answer)
        guard let answerTap else { return streamed(answer, head, tap.watched(request.uri.path, request.headers)) }
        let bytes: [UInt8]
        do { bytes = Array(buffer: try await answer.body.collect(upTo: Self.largestBody)) } catch { return Response(status: .badGateway) }
        await answerTap(Int(answer.status.code), bytes)
        return Response(status: head.status, headers: head.fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Where a request goes: the server behind this relay, whatever the target is. Nil for a target that is no path (RFC 9112 §3.2): glued behind an
    /// origin, digits or a name would become part of its port or its host.
    func upstreamAddress(of target: String) -> String? { target.utf8.first == UInt8(ascii: "/") ? origin + target : nil }

    private func upstream(_ request: Request, _ body: [UInt8], at address: String) -> HTTPClientRequest {
        var upstream = HTTPClientRequest(url: address)
        upstream.method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headers where !Self.ownToAConnection.contains(field.name.canonicalName) && field.name != .contentLength {
            upstream.headers.add(name: field.name.rawName, value: field.value)
        }
        if let authority = request.head.authority { upstream.headers.replaceOrAdd(name: "host", value: authority) }
        if !body.isEmpty || request.method == .post || request.method == .put { upstream.body = .bytes(ByteBuffer(bytes: body)) }
        return upstream
    }

    private func headers(of answer: HTTPClientResponse) -> (status: HTTPResponse.Status, fields: HTTPFields) {
        var fields = HTTPFields()
        for (name, value) in answer.headers {
            guard let name = HTTPField.Name(name), !Self.ownToAConnection.contains(name.canonicalName) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        if let framedBy { allowFrame(in: framedBy, &fields) }
        return (HTTPResponse.Status(code: Int(answer.status.code)), fields)
    }

    private func allowFrame(in origin: String, _ fields: inout HTTPFields) {
        guard let policy = fields[.contentSecurityPolicy], policy.contains("frame-ancestors 'none'") else { return }
        fields[.contentSecurityPolicy] = policy.replacing("frame-ancestors 'none'", with: "frame-ancestors \(origin)")
        fields[Self.frameOptions] = nil
    }

    private static let frameOptions = HTTPField.Name("X-Frame-Options")!

    /// What is written while it comes: a stream of events has no end that could be waited for.
    private func streamed(_ answer: HTTPClientResponse, _ head: (status: HTTPResponse.Status, fields: HTTPFields), _ tap: PartTap?) -> Response {
        if head.status.code == 204 || head.status.code == 304 { return Response(status: head.status, headers: head.fields) }
        let body = ResponseBody { writer in
            defer { tap?([]) }
            for try await part in answer.body {
                tap?(Array(buffer: part))
                try await writer.write(part)
            }
            try await writer.finish(nil)
        }
        return Response(status: head.status, headers: head.fields, body: body)
    }
}
