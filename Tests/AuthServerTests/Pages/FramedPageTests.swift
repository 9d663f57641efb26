import Authentication
import Foundation
import HTTPService
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Login pages in frames of other sites")
struct FramedPageTests {
    private static let shop = "https://shop.example"
    private static let frameOptions = HTTPField.Name("X-Frame-Options")!

    private func premises(_ origins: [String] = [shop], url: String = "https://login.example") async throws -> PagesFixture {
        let premises = try await PagesFixture(url: url)
        try await premises.update { $0.frameOrigins = origins }
        return premises
    }

    /// The ticket of a page that the backend opened for a frame.
    private func ticket(_ premises: PagesFixture, nonce: String = PagesFixture.nonce) async throws -> String {
        let body = #"{"kind":"login","returnurl":"https://shop.example/welcome","framed":true}"#
        let url = try await premises.asBackend { (backend) async throws in
            try await backend.json(.post, backend.path("/sessions/page"), nonce: nonce, body: body).object.text("url")
        }
        let parts = try #require(url).split(separator: "#")
        try #require(parts.count == 2 && parts[0] == "\(premises.publicURL)/embed/\(premises.serverID.text)")
        return String(parts[1])
    }

    private func redeem(_ ticket: String, in frame: String, by browser: PageClient) async throws -> TestResponse {
        let origin = browser.premises.publicURL.description
        return try await browser.post("/pages/ticket", #"{"ticket":"\#(ticket)","frame":"\#(frame)"}"#, cookie: nil, page: nil, origin: origin)
    }

    @Test("The sites that a virtual server names may show its login page in a frame, and nobody else: every frame around it has to be theirs")
    func allows() async throws {
        let premises = try await premises([Self.shop, "http://localhost:3000"])
        try await premises.asBrowser { (browser) async throws in
            let response = try await browser.get("/embed/\(premises.serverID.text)")
            #expect(response.status == .ok && response.headers[.contentType] == "text/html; charset=utf-8")
            #expect(
                response.headers[.contentSecurityPolicy]?.components(separatedBy: "; ") == [
                    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'", "form-action 'none'",
                    "base-uri 'none'", "frame-ancestors https://shop.example http://localhost:3000", "require-trusted-types-for 'script'",
                    "trusted-types 'none'",
                ])
            // It would refuse those that may, too.
            #expect(response.headers[Self.frameOptions] == nil)
            // Who may show it is asked anew each time.
            #expect(response.headers[.cacheControl] == "no-store" && response.headers[.eTag] == nil)
            #expect(response.headers[.xContentTypeOptions] == "nosniff")
        }
    }

    @Test(
        "Whatever else there is may be shown in a frame by nobody, also where a site may show the login page",
        arguments: ["/login", "/enrol", "/l", "/", "/nothing", "/pages/state", "/pages/embed.js", "/ostiary-login.js", "/embed", "/embed/x"])
    func refusesOthers(path: String) async throws {
        let premises = try await premises()
        try await premises.asBrowser { (browser) async throws in
            try expectNoFrame(try await browser.get(path))
        }
    }

    @Test("Without such a site there is no page for frames, nor at a virtual server that there is not, and the answer is in no frame either")
    func refusesWithoutOrigins() async throws {
        let premises = try await premises([])
        let other = Base64URL.encode([UInt8](repeating: 7, count: 16))
        try await premises.asBrowser { (browser) async throws in
            for server in [premises.serverID.text, other, "x"] {
                let headers: HTTPFields = [.accept: "text/html"]
                let response = try await browser.client.execute(uri: "/embed/\(server)", method: .get, headers: headers, body: nil)
                #expect(response.status == .notFound && !String(buffer: response.body).contains("data-state"))
                try expectNoFrame(response)
            }
        }
    }

    private func expectNoFrame(_ response: TestResponse) throws {
        let policy = try #require(response.headers[.contentSecurityPolicy]).components(separatedBy: "; ")
        #expect(policy.filter { $0.hasPrefix("frame-ancestors") } == ["frame-ancestors 'none'"])
        #expect(response.headers[Self.frameOptions] == "DENY")
    }

    @Test("A site that is taken out of the settings shows no page any more")
    func takesBack() async throws {
        let premises = try await premises()
        try await premises.asBrowser { (browser) async throws in
            let address = "/embed/\(premises.serverID.text)"
            #expect(try await browser.get(address).status == .ok)
            try await premises.update { $0.frameOrigins = ["https://other.example"] }
            #expect(try await browser.get(address).headers[.contentSecurityPolicy]?.contains("shop.example") == false)
            try await premises.update { $0.frameOrigins = [] }
            #expect(try await browser.get(address).status == .notFound)
        }
    }

    @Test(
        "The cookie of a framed page is kept apart for the site around it, over plain http of this machine, too",
        arguments: [("https://login.example", "__Host-ostiary-"), ("http://127.0.0.1:8080", "ostiary-")])
    func setsCookie(url: String, prefix: String) async throws {
        let premises = try await premises(url: url)
        try await premises.asBrowser { (browser) async throws in
            let response = try await redeem(try await ticket(premises), in: premises.serverID.text, by: browser)
            let attributes = try #require(response.headers[.setCookie]).split(separator: "; ")
            #expect(attributes.first?.hasPrefix(prefix) == true)
            #expect(attributes.dropFirst() == ["Path=/", "HttpOnly", "SameSite=None", "Secure", "Partitioned"])
            let told = try await browser.state(try #require(PageClient.cookie(response)))
            #expect(told.text("state") == "waiting" && told.text("returnurl") == "https://shop.example/welcome")
        }
    }

    @Test("Where a browser keeps no cookie for a frame, the same ticket opens the page in a window of its own, with the cookie of such a page")
    func opensAlone() async throws {
        let premises = try await premises()
        try await premises.asBrowser { (browser) async throws in
            let response = try await browser.redeem(try await ticket(premises))
            #expect(response.status == .ok)
            let cookie = try #require(response.headers[.setCookie])
            #expect(cookie.contains("SameSite=Strict") && !cookie.contains("Partitioned"))
        }
    }

    @Test("A page that the site did not mean for a frame is opened in none, and its ticket stays good")
    func refusesOrdinaryPages() async throws {
        let premises = try await premises()
        try await premises.asBrowser { (browser) async throws in
            for kind in PageKind.allCases {
                let ticket = try await browser.ticket(kind, nonce: "the-nonce-of-a-page-for-\(kind.rawValue)")
                let refused = try await redeem(ticket, in: premises.serverID.text, by: browser)
                #expect(refused.status == .unauthorized && JSONObject(refused.body).text("error") == "ticket_not_valid")
                #expect(refused.headers[.setCookie] == nil)
                #expect(try await browser.redeem(ticket).status == .ok)
            }
        }
    }

    @Test("Nor is it shown in one by its name, for which a site at another name of the login server's site has the browser send its cookie")
    func refusesOrdinaryNames() async throws {
        let premises = try await premises()
        let frame = premises.serverID.text
        try await premises.asBrowser { (browser) async throws in
            for (kind, nonce) in [(PageKind.login, "the-nonce-of-a-login-page"), (.enrol, "the-nonce-of-an-enrolment")] {
                let cookie = try await browser.open(kind, nonce: nonce)
                try await expectNoPage(cookie, in: frame, by: browser)
                #expect(try await browser.state(cookie).text("state") == "waiting")
            }
        }
    }

    @Test("A framed page goes on in the frame of its own virtual server, by name, and in that of no other")
    func goesOnByName() async throws {
        let premises = try await premises()
        let other = Base64URL.encode([UInt8](repeating: 7, count: 16))
        let frame = premises.serverID.text
        try await premises.asBrowser { (browser) async throws in
            let cookie = try #require(PageClient.cookie(try await redeem(try await ticket(premises), in: frame, by: browser)))
            let shown = try await browser.get("/pages/state?frame=\(frame)", cookie: cookie)
            #expect(shown.status == .ok && JSONObject(shown.body).text("state") == "waiting")
            try await expectNoPage(cookie, in: other, by: browser)
            let wrong = try await browser.get("/pages/state?frame=x", cookie: cookie)
            #expect(wrong.status == .badRequest && JSONObject(wrong.body).text("field") == "frame")
        }
    }

    @Test(
        "A page that says twice in which frame it is, or by a name that is none, is refused, as REST refuses it",
        arguments: ["state", "events", "renew", "code"])
    func saysOnce(call: String) async throws {
        let premises = try await premises()
        let frame = premises.serverID.text
        try await premises.asBrowser { (browser) async throws in
            let cookie = try #require(PageClient.cookie(try await redeem(try await ticket(premises), in: frame, by: browser)))
            let page = try #require(PageClient.page(cookie))
            for (query, field) in [
                ("frame=\(frame)&frame=", "frame"), ("frame=&frame=\(frame)", "frame"), ("frame=\(frame)&%66rame=\(frame)", "frame"),
                ("frame=\(frame)&page=\(page)", "page"), ("Frame=x", "Frame"), ("frame=\(frame)&x", "x"),
            ] {
                let path = "/pages/\(call)?\(query)"
                let response =
                    call == "renew" || call == "code"
                    ? try await browser.post(path, call == "code" ? #"{"code":"7K3M"}"# : "{}", cookie: cookie)
                    : try await browser.get(path, cookie: cookie)
                #expect(response.status == .badRequest && JSONObject(response.body).text("field") == field, "\(query)")
            }
        }
    }

    @Test("Whoever redeems a ticket or looks at a link says nothing in the query", arguments: ["ticket", "link"])
    func saysNothing(call: String) async throws {
        let premises = try await premises()
        try await premises.asBrowser { (browser) async throws in
            let ticket = try await ticket(premises)
            let path = "/pages/\(call)?frame=\(premises.serverID.text)"
            let refused = try await browser.post(path, #"{"\#(call)":"\#(ticket)"}"#, cookie: nil, page: nil)
            #expect(refused.status == .badRequest && JSONObject(refused.body).text("field") == "frame")
            // It is still good.
            #expect(try await redeem(ticket, in: premises.serverID.text, by: browser).status == .ok)
        }
    }

    /// Whatever a page asks, in that frame there is none.
    private func expectNoPage(_ cookie: String, in frame: String, by browser: PageClient) async throws {
        for response in [
            try await browser.get("/pages/state?frame=\(frame)", cookie: cookie),
            try await browser.get("/pages/events?frame=\(frame)", cookie: cookie),
            try await browser.post("/pages/renew?frame=\(frame)", "{}", cookie: cookie),
            try await browser.post("/pages/code?frame=\(frame)", #"{"code":"7K3M"}"#, cookie: cookie),
        ] {
            #expect(response.status == .unauthorized && JSONObject(response.body).text("error") == "no_page")
        }
    }

    @Test("The page of one virtual server is not opened in the frame of another, whose sites are others, and its ticket stays good")
    func refusesForeignFrames() async throws {
        let premises = try await premises()
        let other = Base64URL.encode([UInt8](repeating: 7, count: 16))
        try await premises.asBrowser { (browser) async throws in
            let ticket = try await ticket(premises)
            let refused = try await redeem(ticket, in: other, by: browser)
            #expect(refused.status == .unauthorized && JSONObject(refused.body).text("error") == "ticket_not_valid")
            for frame in ["", "x", other + "A"] {
                let refused = try await redeem(ticket, in: frame, by: browser)
                #expect(refused.status == .badRequest && JSONObject(refused.body).text("field") == "frame")
            }
            #expect(try await redeem(ticket, in: premises.serverID.text, by: browser).status == .ok)
        }
    }

    @Test("A page for a frame is opened only where a site may show it, only for a login, and is an ordinary one unless told")
    func opens() async throws {
        let premises = try await premises([])
        try await premises.asBackend { (backend) async throws in
            func open(_ members: String) async throws -> (status: Int, object: JSONObject) {
                try await backend.json(.post, backend.path("/sessions/page"), body: "{\(members)}")
            }
            let login = #""kind":"login","returnurl":"https://shop.example/welcome""#
            let (status, refused) = try await open(login + #","framed":true"#)
            #expect(status == 400 && refused.text("field") == "framed")
            try await premises.update { $0.frameOrigins = [Self.shop] }
            let path = "https://login.example/embed/\(premises.serverID.text)#"
            #expect(try await open(login + #","framed":true"#).object.text("url")?.hasPrefix(path) == true)
            for members in [login, login + #","framed":false"#] {
                #expect(try await open(members).object.text("url")?.hasPrefix("https://login.example/login#") == true)
            }
            let enrol = try await open(#""kind":"enrol","name":"Alice","framed":true"#)
            #expect(enrol.status == 400 && enrol.object.text("error") == "unknown_field" && enrol.object.text("field") == "framed")
        }
    }

    @Test("The module of the element is for scripts of any site, loads nothing else, and says nothing to whomever it may concern")
    func servesModule() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let response = try await browser.get("/ostiary-login.js")
            #expect(response.status == .ok && response.headers[.contentType] == "text/javascript; charset=utf-8")
            #expect(response.headers[.accessControlAllowOrigin] == "*")
            #expect(response.headers[HTTPField.Name("Cross-Origin-Resource-Policy")!] == "cross-origin")
            let text = String(buffer: response.body)
            #expect(text.contains(#"customElements.define("ostiary-login""#) && text.utf8.count <= 4_000)
            #expect(text.firstMatch(of: #/\b(import|from) ["']|\bfetch\b|innerHTML/#) == nil)
            // The scripts of the page are for the page alone.
            let script = try await browser.get("/pages/embed.js")
            #expect(script.headers[.accessControlAllowOrigin] == nil)
            for text in [text, String(buffer: script.body)] { #expect(!text.contains(#""*""#) && text.contains("postMessage(")) }
        }
    }

    @Test("In a frame the page has every state of the login page and one more, in every language, and its links open no other page in the frame")
    func hasEveryState() throws {
        for language in PageLanguage.allCases {
            let pages = PageTexts()
            let (login, frame) = (
                String(decoding: pages.asset(.login, in: language).bytes, as: UTF8.self),
                String(decoding: pages.asset(.embed, in: language).bytes, as: UTF8.self)
            )
            func states(_ html: String) -> [String] { html.matches(of: #/data-state="(\w+)"/#).map { String($0.1) } }
            #expect(states(frame) == states(login) + ["onward", "cookies"])
            #expect(frame.contains(#"<base target="_blank">"#) && !login.contains("<base"))
            #expect(frame.contains("/pages/embed.js") && !frame.contains("/pages/login.js") && !login.contains("/pages/embed"))
            // What leads out of the frame leads the whole window.
            #expect(frame.matches(of: #/target="_top"/#).count == 2 && !login.contains("_top"))
            #expect(frame.contains("aria-live=\"polite\"") && !login.contains("aria-live"))
        }
    }
}
