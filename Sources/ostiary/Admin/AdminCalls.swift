import AsyncHTTPClient
import HTTPCalls
import HTTPService
import NIOCore
import NIOHTTP1
import NIOPosix
import OstiaryProtocol
import OstiaryTokens

/// Why a command of `ostiary admin` came to nothing.
enum AdminFailure: Error, CustomStringConvertible {
    /// The answer of a server that refused, as it was: `error`, `message`, and `field` where one is to blame.
    case refused(JSONObject)
    case unreachable(origin: String)
    /// Whoever answers is no server of ours.
    case notOurs(origin: String, status: Int)
    case noServer
    case severalServers([String])
    /// Nobody said yes, and nothing was done.
    case notConfirmed

    var description: String {
        switch self {
        case .refused(let answer): answer["message"]?.string ?? answer["error"]?.string ?? "refused"
        case .unreachable(let origin): "nobody answers at \(origin): is ostiary serve running there? --url says where it is"
        case .notOurs(let origin, let status): "\(origin) answered with \(status), and not as the REST API does: --url names the private listener"
        case .noServer: "there is no virtual server yet"
        case .severalServers(let ids): "there are several virtual servers: name one with --server, of \(ids.joined(separator: ", "))"
        case .notConfirmed: "nothing was removed: nobody said yes, and --yes was not given"
        }
    }

    /// For scripts: what the server said, or the like.
    var json: JSONObject {
        if case .refused(let answer) = self { return answer }
        return JSONObject(["error": .string("not_asked"), "message": .string(description)])
    }
}

/// Calls of the REST API with its key.
struct AdminCalls {
    /// Bytes: a thousand applications with everything.
    private static let longestAnswer = 16_777_216

    let origin: PublicURL
    let key: SecretText

    /// - Parameters:
    ///   - path: its parts, as they are before they are encoded.
    ///   - query: names and values that need no encoding.
    /// - Throws: ``AdminFailure``.
    func call(_ method: HTTPMethod, _ path: [String], query: [(String, String)] = [], body: JSONObject? = nil) async throws -> JSONObject {
        let query = query.isEmpty ? "" : "?" + query.map { "\($0)=\($1)" }.joined(separator: "&")
        var request = HTTPClientRequest(url: "\(origin)/" + path.map(Self.encoded).joined(separator: "/") + query)
        request.method = method
        key.shown { request.headers.add(name: "X-apikey", value: $0) }
        if let body {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body.encoded))
        }
        let (status, bytes) = try await answer(to: request)
        guard let answer = try? JSONReader.object(bytes) else { throw AdminFailure.notOurs(origin: origin.description, status: status) }
        guard status == 200 else {
            guard answer["error"]?.string != nil else { throw AdminFailure.notOurs(origin: origin.description, status: status) }
            throw AdminFailure.refused(answer)
        }
        return answer
    }

    private func answer(to request: HTTPClientRequest) async throws -> (status: Int, body: [UInt8]) {
        let client = HTTPClient(
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), configuration: .calls(connect: .seconds(10)))
        do {
            let response = try await client.execute(request, timeout: .seconds(60))
            let body = try await response.body.collect(upTo: Self.longestAnswer)
            try await client.shutdown()
            return (Int(response.status.code), Array(buffer: body))
        } catch {
            try? await client.shutdown()
            throw AdminFailure.unreachable(origin: origin.description)
        }
    }

    /// A part of a path in which nothing but unreserved characters stands as it is (RFC 3986 §2.3): an identifier of an API has slashes of its own.
    static func encoded(_ part: String) -> String { PercentEscape.text(part) }
}

/// The registry of one virtual server.
struct RegistryCalls {
    let calls: AdminCalls
    let server: String

    /// - Parameter server: nil for the only one that there is.
    /// - Throws: ``AdminFailure``.
    init(_ calls: AdminCalls, server: String?) async throws {
        self.calls = calls
        if let server {
            self.server = server
            return
        }
        let ids = try await calls.call(.GET, ["servers", ""])["servers"]?.array?.compactMap { $0.object?["serverid"]?.string } ?? []
        guard let only = ids.first else { throw AdminFailure.noServer }
        guard ids.count == 1 else { throw AdminFailure.severalServers(ids) }
        self.server = only
    }

    func call(_ method: HTTPMethod, _ path: [String], query: [(String, String)] = [], body: JSONObject? = nil) async throws -> JSONObject {
        try await calls.call(method, ["servers", server] + path, query: query, body: body)
    }

    /// The whole of a list, which the server tells in parts.
    /// - Parameters:
    ///   - owner: the parts of the address before the list: whose it is.
    ///   - query: which elements are meant, in values that need no encoding.
    func all(_ list: String, of owner: [String] = [], query: [(String, String)] = []) async throws -> [JSONObject] {
        var elements: [JSONObject] = []
        while true {
            let part = try await call(.GET, owner + [list, ""], query: query + [("limit", "1000"), ("marker", "\(elements.count)")])
            let more = part[list]?.array?.compactMap(\.object) ?? []
            elements += more
            guard !more.isEmpty, case .integer(let total)? = part["totalnumber"], elements.count < total else { return elements }
        }
    }
}
