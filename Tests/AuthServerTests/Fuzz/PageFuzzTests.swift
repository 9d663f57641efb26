import Authentication
import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Fuzz: pages", .onBothEngines, .timeLimit(.minutes(10)))
struct PageFuzzTests {
    @Test("Whatever a browser sends to the pages is answered: never 5xx, no trap, no line of error, and an honest page works after it")
    func pages() async throws {
        let premises = try await PagesFixture()
        try await premises.update { $0.frameOrigins = ["https://shop.example"] }
        // Streams end after their first event.
        premises.drain.begin()
        let log = LogRecorder()
        let seed = FuzzSeed("pages")
        try await Application(responder: premises.publicResponder, logger: log.logger(level: .error)).test(.router) { client in
            let browser = FuzzedBrowser(PageClient(client: client, premises: premises))
            let heard = HeardStatuses()
            let conversation = FuzzedConversation(seed, client, heard: heard)
            for _ in 0..<(3 * FuzzSeed.rounds) {
                try await conversation.begin(try await browser.requests())
                try await conversation.goOn(try await browser.requests(), times: FuzzSeed.times(200))
                premises.clock.advance(60)
            }
            guard FuzzSeed.reachesAll else { return }
            for (name, statuses) in heard.byName {
                #expect(statuses.contains(200) && (!FuzzedBrowser.canRefuse(name) || statuses.contains { $0 >= 400 }), "\(name): \(statuses)")
            }
            // What is malformed, of no page, from another site, about nothing that there is, and of another type.
            #expect(heard.all.isSuperset(of: [200, 400, 401, 403, 404, 415]), "seed \(FuzzSeed.text): \(heard.byName)")
        }
        #expect(log.text == "", "seed \(FuzzSeed.text)")
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.login, nonce: "n0nce-of-an-honest-page-at-last")
            #expect(try await browser.get("/pages/state", cookie: cookie).status == .ok)
        }
        try await premises.expectHonestLogin()
    }

    @Test("A stream that ends at once has told how the page is, or the session")
    func streams() async throws {
        let premises = try await PagesFixture()
        try await premises.update { $0.frameOrigins = ["https://shop.example"] }
        premises.drain.begin()
        try await premises.asBrowser { (client) async throws in
            for request in try await FuzzedBrowser(client).requests() where request.name.hasSuffix("/events") && request.right == 200 {
                let text = String(buffer: try await request.send(by: client.client).body)
                let name = request.name == "/pages/events" ? "page" : "LOGOUT"
                #expect(text.hasPrefix("retry: 2000\n\n") && PageEvent.all(in: text).first?.name == name, "\(request.uri)")
            }
        }
    }
}

/// A browser with pages of each kind: one that shows a login, one that waits for a phone, and one that waits for the code of its phone.
struct FuzzedBrowser: Sendable {
    private let client: PageClient

    init(_ client: PageClient) { self.client = client }

    private var premises: PagesFixture { client.premises }

    /// Whether anything can be wrong with it: a page is given to whoever asks.
    static func canRefuse(_ name: String) -> Bool { name.hasPrefix("/pages/") && !name.hasSuffix(".css") || name.contains("events") }

    /// What its pages may send now, each of it once.
    func requests() async throws -> [FuzzedRequest] {
        let login = Self.nonce()
        let cookies = [try await client.open(.login, nonce: login), try await client.open(.enrol, nonce: Self.nonce())]
        let (confirming, code) = try await confirming()
        let jar = (cookies + [confirming]).joined(separator: "; ")
        let pages = try (cookies + [confirming]).map { try #require(PageClient.page($0)) }
        let post = { (path: String, page: String?, body: String) -> FuzzedRequest in
            let query = page.map { [FuzzedRequest.Word("page", $0)] } ?? []
            return FuzzedRequest(.post, path, query, headers: [.cookie: jar, .origin: "https://login.example"], body: .json(body))
        }
        var requests = pages.flatMap { page in Self.looks(at: page, jar) }
        for body in try await tickets() { requests.append(post("/pages/ticket", nil, body)) }
        for link in try await links() { requests.append(post("/pages/link", nil, #"{"link":"\#(link)"}"#)) }
        for page in pages.prefix(2) { requests.append(post("/pages/renew", page, "{}")) }
        requests.append(post("/pages/code", pages[2], #"{"code":"\#(code)"}"#))
        return try await requests + sessions(login) + open()
    }

    private static func looks(at page: String, _ jar: String) -> [FuzzedRequest] {
        let (named, headers) = (FuzzedRequest.Word("page", page), HTTPFields(dictionaryLiteral: (.cookie, jar)))
        return [
            FuzzedRequest(.get, "/pages/state", [named], headers: headers), FuzzedRequest(.get, "/pages/events", [named], headers: headers),
            FuzzedRequest(.get, "/pages/events", [named, .init("still", "1")], headers: headers),
        ]
    }

    private static func nonce() -> String { Base64URL.encode(SystemRandomSource().bytes(16)) }

    private func confirming() async throws -> (cookie: String, code: String) {
        let nonce = Self.nonce()
        let cookie = try await client.open(.enrol, nonce: nonce)
        let (claim, code) = try await premises.claimEnrolment(nonce)
        try await premises.finishEnrolment(claim, nonce)
        return (cookie, code)
    }

    /// Bodies with a ticket that is good: of each kind, and of a page for a frame.
    private func tickets() async throws -> [String] {
        var bodies: [String] = []
        for kind in [PageKind.login, .enrol, .login, .enrol] {
            bodies.append(#"{"ticket":"\#(try await client.ticket(kind, nonce: Self.nonce()))"}"#)
        }
        let body = #"{"kind":"login","returnurl":"https://shop.example/welcome","framed":true}"#
        let url = try await premises.asBackend { (backend) async throws in
            try await backend.json(.post, backend.path("/sessions/page"), nonce: Self.nonce(), body: body).object.text("url")
        }
        let framed = try #require(url?.split(separator: "#").last)
        return bodies + [#"{"ticket":"\#(framed)","frame":"\#(premises.serverID.text)"}"#]
    }

    private func links() async throws -> [Substring] {
        var links: [Substring] = []
        for call in ["login", "enrol?name=Alice"] {
            let text = try await premises.asBackend { (backend) async throws in
                String(buffer: try await backend.send(.get, backend.path("/sessions/link/\(call)"), nonce: Self.nonce()).body)
            }
            links.append(try #require(text.split(separator: "#").last))
        }
        return links
    }

    /// The stream of a session that there is, and that of another.
    private func sessions(_ nonce: String) async throws -> [FuzzedRequest] {
        let server = FuzzedRequest.Word("server", premises.serverID.text)
        let stream = try #require(try await premises.session(nonce).stream).text
        return [(stream, 200), (Self.nonce(), 404)].map { session, right in
            FuzzedRequest(.get, "/sessions/events", [server, .init("session", session)], right: right)
        }
    }

    /// What anybody may have.
    private func open() -> [FuzzedRequest] {
        let files = ["/login", "/enrol", "/l", "/pages/style.css", "/ostiary-login.js", "/favicon.ico"].map { FuzzedRequest(.get, $0) }
        let frames = [(premises.serverID.text, 200), (Self.nonce(), 404)].map { server, right in
            FuzzedRequest(.get, "/embed/\(server)", name: "/embed/…", right: right)
        }
        return files + frames
    }
}
