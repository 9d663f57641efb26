import Authentication
import Foundation
import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import Testing

@testable import AuthServer

/// A browser at the public listener: keeps its cookie, names the page of it in each call, and says where its calls come from.
struct PageClient: Sendable {
    let client: any TestClientProtocol
    let premises: PagesFixture

    /// A page that the backend opened, and the value of its cookie.
    /// - Parameter jar: the cookies that the browser has already.
    func open(
        _ kind: PageKind = .login, returnURL: String? = "https://shop.example/welcome", cancelURL: String? = nil,
        nonce: String = PagesFixture.nonce, cookie jar: String? = nil
    ) async throws -> String {
        let ticket = try await ticket(kind, returnURL: returnURL, cancelURL: cancelURL, nonce: nonce)
        let response = try await redeem(ticket, cookie: jar)
        try #require(response.status == .ok)
        return try #require(Self.cookie(response))
    }

    /// An enrol page that asks for the code which its phone shows.
    func openUntilCode() async throws -> (cookie: String, claim: Enrolment.Claim, code: String) {
        let cookie = try await open(.enrol)
        let (claim, code) = try await premises.claimEnrolment()
        try await premises.finishEnrolment(claim)
        return (cookie, claim, code)
    }

    /// Every call of a page that changes something, with a body that is right.
    static func changes(by ticket: String) -> [(path: String, body: String)] {
        [
            ("/pages/ticket", #"{"ticket":"\#(ticket)"}"#), ("/pages/renew", "{}"), ("/pages/code", #"{"code":"K7Q3"}"#), ("/pages/link", "{}"),
            ("/pages/otp", #"{"code":"2XPP7Q R5BDD0"}"#),
        ]
    }

    /// The ticket of a link that the backend was given.
    func ticket(
        _ kind: PageKind = .login, returnURL: String? = "https://shop.example/welcome", cancelURL: String? = nil,
        nonce: String = PagesFixture.nonce
    ) async throws -> String {
        let members = [
            "\"kind\":\"\(kind.rawValue)\"", kind == .enrol ? "\"name\":\"Alice\",\"userid\":\"alice\"" : nil,
            returnURL.map { "\"returnurl\":\"\($0)\"" }, cancelURL.map { "\"cancelurl\":\"\($0)\"" },
        ]
        let body = "{\(members.compactMap { $0 }.joined(separator: ","))}"
        let url = try await premises.asBackend { (backend) async throws in
            try await backend.json(.post, backend.path("/sessions/page"), nonce: nonce, body: body).object.text("url")
        }
        let parts = try #require(url).split(separator: "#")
        try #require(parts.count == 2 && parts[0] == "\(premises.publicURL)/\(kind.rawValue)")
        return String(parts[1])
    }

    func redeem(_ ticket: String, cookie: String? = nil) async throws -> TestResponse {
        try await post("/pages/ticket", #"{"ticket":"\#(ticket)"}"#, cookie: cookie, page: nil)
    }

    /// The call of the page that `cookie` is of, as its script makes it.
    func post(_ path: String, _ body: String, cookie: String?, origin: String? = "https://login.example") async throws -> TestResponse {
        try await post(path, body, cookie: cookie, page: cookie.flatMap(Self.page), origin: origin)
    }

    func post(
        _ path: String, _ body: String, cookie: String?, page: String?, origin: String? = "https://login.example"
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[.origin] = origin
        headers[.cookie] = cookie
        return try await client.execute(
            uri: Self.address(path, of: page), method: .post, headers: headers, body: ByteBuffer(string: body))
    }

    func get(_ path: String, cookie: String? = nil) async throws -> TestResponse {
        try await get(path, cookie: cookie, page: cookie.flatMap(Self.page))
    }

    func get(_ path: String, cookie: String?, page: String?) async throws -> TestResponse {
        var headers: HTTPFields = [:]
        headers[.cookie] = cookie
        return try await client.execute(uri: Self.address(path, of: page), method: .get, headers: headers, body: nil)
    }

    func state(_ cookie: String) async throws -> JSONObject { JSONObject(try await get("/pages/state", cookie: cookie).body) }

    /// What a stream tells from before `story` until the server drains after it.
    /// - Parameter looks: how often the store was asked when the stream has its first answer; for session events: the server, whether there is such
    ///   a session, and how it is.
    func events(
        _ path: String, cookie: String?, after looks: Int = 3, while story: @Sendable @escaping () async throws -> Void
    ) async throws -> [PageEvent] {
        _ = premises.questions.take()
        async let response = get(path, cookie: cookie)
        while premises.events.listenerCount == 0 || premises.questions.count < looks { await Task.yield() }
        try await story()
        premises.drain.begin()
        let answer = try await response
        try #require(answer.headers[.contentType] == "text/event-stream; charset=utf-8")
        // No proxy collects it, nobody keeps it, and a browser that lost it is back in two seconds.
        #expect(answer.headers[HTTPField.Name("X-Accel-Buffering")!] == "no" && answer.headers[.cacheControl] == "no-store")
        #expect(String(buffer: answer.body).hasPrefix("retry: 2000\n\n"))
        return PageEvent.all(in: String(buffer: answer.body))
    }

    static func cookie(_ response: TestResponse) -> String? { response.headers[values: .setCookie].first.map { String($0.prefix { $0 != ";" }) } }

    /// The page that a cookie is named by.
    static func page(_ cookie: String) -> String? { cookie.firstMatch(of: #/ostiary-([A-Za-z0-9_-]{12})=/#).map { String($0.1) } }

    private static func address(_ path: String, of page: String?) -> String {
        guard let page else { return path }
        return path + (path.contains("?") ? "&" : "?") + "page=\(page)"
    }
}

/// One server-sent event.
struct PageEvent: Sendable {
    let name: String
    let data: JSONObject

    static func all(in text: String) -> [PageEvent] {
        text.components(separatedBy: "\n\n").compactMap { block in
            let lines = block.split(separator: "\n")
            guard let name = lines.first(where: { $0.hasPrefix("event: ") })?.dropFirst(7) else { return nil }
            let data = lines.first { $0.hasPrefix("data: ") }?.dropFirst(6) ?? ""
            return PageEvent(name: String(name), data: JSONObject(ByteBuffer(string: String(data))))
        }
    }
}

extension PagesFixture {
    func asBrowser<Value>(_ body: @Sendable @escaping (PageClient) async throws -> Value) async throws -> Value {
        try await Application(responder: publicResponder).test(.router) { client in try await body(PageClient(client: client, premises: self)) }
    }
}
