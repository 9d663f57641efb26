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

/// A browser at the public listener: keeps its cookie and says where its calls come from.
struct PageClient: Sendable {
    let client: any TestClientProtocol
    let premises: Premises

    /// A page that the backend opened, and the value of its cookie.
    func open(_ kind: PageKind = .login, returnURL: String? = nil) async throws -> String {
        let ticket = try await ticket(kind, returnURL: returnURL)
        let response = try await redeem(ticket)
        try #require(response.status == .ok)
        return try #require(Self.cookie(response))
    }

    /// The ticket of a link that the backend was given.
    func ticket(_ kind: PageKind = .login, returnURL: String? = nil) async throws -> String {
        let members = [
            "\"kind\":\"\(kind.rawValue)\"", kind == .enrol ? "\"name\":\"Alice\",\"userid\":\"alice\"" : nil,
            returnURL.map { "\"returnurl\":\"\($0)\"" },
        ]
        let body = "{\(members.compactMap { $0 }.joined(separator: ","))}"
        let url = try await premises.asBackend { (backend) async throws in
            try await backend.json(.post, backend.path("/sessions/page"), body: body).object.text("url")
        }
        let parts = try #require(url).split(separator: "#")
        try #require(parts.count == 2 && parts[0] == "\(premises.publicURL)/\(kind.rawValue)")
        return String(parts[1])
    }

    func redeem(_ ticket: String) async throws -> TestResponse { try await post("/pages/ticket", #"{"ticket":"\#(ticket)"}"#, cookie: nil) }

    func post(_ path: String, _ body: String, cookie: String?, origin: String? = "https://login.example") async throws -> TestResponse {
        var headers: HTTPFields = [:]
        headers[.origin] = origin
        headers[.cookie] = cookie
        return try await client.execute(uri: path, method: .post, headers: headers, body: ByteBuffer(string: body))
    }

    func get(_ path: String, cookie: String? = nil) async throws -> TestResponse {
        var headers: HTTPFields = [:]
        headers[.cookie] = cookie
        return try await client.execute(uri: path, method: .get, headers: headers, body: nil)
    }

    func state(_ cookie: String) async throws -> JSONObject { JSONObject(try await get("/pages/state", cookie: cookie).body) }

    /// What a stream tells from before `story` until the server drains after it.
    func events(_ path: String, cookie: String?, while story: @Sendable @escaping () async throws -> Void) async throws -> [PageEvent] {
        async let response = get(path, cookie: cookie)
        while premises.events.listenerCount == 0 { await Task.yield() }
        try await story()
        premises.drain.begin()
        let answer = try await response
        try #require(answer.headers[.contentType] == "text/event-stream; charset=utf-8")
        return PageEvent.all(in: String(buffer: answer.body))
    }

    static func cookie(_ response: TestResponse) -> String? { response.headers[.setCookie].map { String($0.prefix { $0 != ";" }) } }
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

extension Premises {
    func asBrowser<Value>(_ body: @Sendable @escaping (PageClient) async throws -> Value) async throws -> Value {
        try await Application(responder: publicResponder).test(.router) { client in try await body(PageClient(client: client, premises: self)) }
    }
}
