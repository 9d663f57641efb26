import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OstiaryProtocol
import QRCode
import Testing

/// A person's browser as far as forms, cookies, redirects and the pages of the authentication server go: each has its own cookies.
actor PersonsBrowser {
    private let client = HTTPClient(
        eventLoopGroupProvider: .singleton, configuration: HTTPClient.Configuration(redirectConfiguration: .disallow))
    /// By origin, then by name.
    private var cookies: [String: [String: String]] = [:]
    /// The origin of the page that is open, and its name.
    private var page: (origin: String, name: String)?

    struct Answer: Sendable {
        let status: UInt
        /// Where a redirect leads.
        let location: String?
        let referrerPolicy: String?
        let cacheControl: String?
        let text: String
    }

    deinit { client.shutdown { _ in } }

    /// Lends a browser to `body`.
    static func open(_ body: @Sendable (PersonsBrowser) async throws -> Void) async throws { try await body(PersonsBrowser()) }

    func get(_ address: String) async throws -> Answer { try await send("GET", address, origin: nil, nil) }

    /// Sends a form, whose fields are encoded already, from a page of `origin`; of the same site if not told.
    func submit(_ address: String, _ fields: String = "", from origin: String? = nil) async throws -> Answer {
        try await send("POST", address, origin: origin ?? Self.origin(of: address), ByteBuffer(string: fields))
    }

    /// Follows redirects until there is a page.
    func follow(_ answer: Answer, at site: String) async throws -> Answer {
        var answer = answer
        for _ in 0..<5 {
            guard let location = answer.location else { return answer }
            answer = try await get(location.hasPrefix("/") ? site + location : location)
        }
        return answer
    }

    /// What a site left under this name.
    func value(of cookie: String, at site: String) -> String? { cookies[Self.origin(of: site)]?[cookie] }

    /// Opens the login page of a link with a ticket.
    func openPage(_ link: String) async throws {
        let parts = link.split(separator: "#")
        let origin = Self.origin(of: String(parts[0]))
        let body = ByteBuffer(string: #"{"ticket":"\#(parts[1])"}"#)
        let answer = try await send("POST", origin + "/pages/ticket", origin: origin, body)
        try #require(answer.status == 200, "\(answer.text)")
        page = (origin, try #require(try JSONLine(answer.text)["page"]?.string))
    }

    /// What the page says now.
    func shown() async throws -> JSONLine {
        let page = try #require(page)
        let answer = try await get("\(page.origin)/pages/state?page=\(page.name)")
        try #require(answer.status == 200, "\(answer.text)")
        return try JSONLine(answer.text)
    }

    /// A picture of the code on the screen, as PNG.
    func screenshot() async throws -> [UInt8] {
        let code = try #require(try await shown()["code"])
        return try QRSymbol(bytes: try #require(code["bytes"]?.string.flatMap { Base64URL.decode($0) })).png()
    }

    private func send(_ method: String, _ address: String, origin: String?, _ body: ByteBuffer?) async throws -> Answer {
        let site = Self.origin(of: address)
        var request = HTTPClientRequest(url: String(address.prefix { $0 != "#" }))
        request.method = method == "GET" ? .GET : .POST
        if let origin { request.headers.add(name: "Origin", value: origin) }
        if let jar = cookies[site], !jar.isEmpty {
            request.headers.add(name: "Cookie", value: jar.map { "\($0)=\($1)" }.sorted().joined(separator: "; "))
        }
        if let body {
            let isJSON = body.getInteger(at: body.readerIndex, as: UInt8.self) == UInt8(ascii: "{")
            request.headers.add(name: "Content-Type", value: isJSON ? "application/json" : "application/x-www-form-urlencoded")
            request.body = .bytes(body)
        }
        let response = try await client.execute(request, timeout: .minutes(5))
        for line in response.headers["set-cookie"] {
            let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            cookies[site, default: [:]][String(pair[0])] = String(pair[1])
        }
        return Answer(
            status: response.status.code, location: response.headers.first(name: "location"),
            referrerPolicy: response.headers.first(name: "referrer-policy"), cacheControl: response.headers.first(name: "cache-control"),
            text: String(buffer: try await response.body.collect(upTo: 1 << 20)))
    }

    private static func origin(of address: String) -> String { address.split(separator: "/").prefix(2).joined(separator: "//") }
}
