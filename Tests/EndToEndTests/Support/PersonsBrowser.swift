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
    private let patience: TimeAmount
    private let way: @Sendable (String) -> String
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

    /// A page's answer that is another than what was asked for.
    struct Refused: Error {
        let answer: Answer
    }

    /// - Parameters:
    ///   - patience: for which it waits for an answer.
    ///   - way: where a request goes that is for an address: that itself, or a node behind it. Cookies and origins are those of the address.
    init(patience: TimeAmount = .minutes(5), by way: @escaping @Sendable (String) -> String = { $0 }) {
        self.patience = patience
        self.way = way
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
        let opened = try Self.object(in: try await send("POST", origin + "/pages/ticket", origin: origin, body))
        page = (origin, try #require(opened["page"]?.string))
    }

    /// What the page says now.
    func shown() async throws -> JSONLine {
        let page = try #require(page)
        return try Self.object(in: try await get("\(page.origin)/pages/state?page=\(page.name)"))
    }

    private static func object(in answer: Answer) throws -> JSONLine {
        guard answer.status == 200 else { throw Refused(answer: answer) }
        return try JSONLine(answer.text)
    }

    /// What the code on the screen says; nil where there is none.
    func code() async throws -> [UInt8]? { try await shown()["code"]?["bytes"]?.string.flatMap { Base64URL.decode($0) } }

    /// A picture of it, as PNG.
    func screenshot() async throws -> [UInt8] { try QRSymbol(bytes: try #require(try await code())).png() }

    private func send(_ method: String, _ address: String, origin: String?, _ body: ByteBuffer?) async throws -> Answer {
        let site = Self.origin(of: address)
        var request = HTTPClientRequest(url: way(String(address.prefix { $0 != "#" })))
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
        let response = try await client.execute(request, timeout: patience)
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
