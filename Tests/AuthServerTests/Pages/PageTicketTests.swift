import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Page tickets and cookies")
struct PageTicketTests {
    @Test("A ticket becomes a cookie once, however many bring it at the same time")
    func redeemsOnce() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let ticket = try await browser.ticket()
            let cookies = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<64 { group.addTask { PageClient.cookie(try await browser.redeem(ticket)) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(cookies.compactMap { $0 }.count == 1)
            #expect(cookies.count == 64)
        }
    }

    @Test("A ticket is good for 60 seconds")
    func redeemsInTime() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let (early, late) = (try await browser.ticket(), try await browser.ticket())
            premises.clock.advance(59)
            #expect(try await browser.redeem(early).status == .ok)
            premises.clock.advance(1)
            let response = try await browser.redeem(late)
            #expect(response.status == .unauthorized)
            #expect(JSONObject(response.body).text("error") == "ticket_not_valid")
            #expect(response.headers[.setCookie] == nil)
        }
    }

    @Test(
        "Nothing but a ticket opens a page",
        arguments: ["", "x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", String(repeating: "A", count: 1_900)])
    func refusesTickets(ticket: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            #expect(try await browser.redeem(ticket).status == .unauthorized)
            // The cookie's own value is no ticket either.
            let cookie = try await browser.open()
            #expect(try await browser.redeem(String(cookie.drop { $0 != "=" }.dropFirst())).status == .unauthorized)
            #expect(try await browser.redeem(try #require(PageClient.page(cookie))).status == .unauthorized)
        }
    }

    @Test("The cookie is for this host, for no script and for no other site")
    func protectsCookie() async throws {
        let secure = try await PagesFixture()
        let header = try await secure.asBrowser { (browser) async throws in try await browser.redeem(try await browser.ticket()).headers[.setCookie] }
        let attributes = try #require(header).split(separator: "; ")
        #expect(attributes.first?.hasPrefix("__Host-ostiary-") == true)
        #expect(Set(attributes.dropFirst()) == ["Path=/", "HttpOnly", "SameSite=Strict", "Secure"])
        let local = try await PagesFixture(url: "http://127.0.0.1:8080")
        try await local.asBrowser { (browser) async throws in
            let body = #"{"ticket":"\#(try await browser.ticket())"}"#
            let response = try await browser.post("/pages/ticket", body, cookie: nil, origin: "http://127.0.0.1:8080")
            #expect(response.headers[.setCookie]?.hasPrefix("ostiary-") == true)
            #expect(response.headers[.setCookie]?.contains("Secure") == false)
        }
    }

    @Test("Without its cookie, or with another, a page tells nothing", arguments: ["/pages/state", "/pages/events"])
    func needsCookie(path: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open()
            let page = try #require(PageClient.page(cookie))
            let (name, value) = ("__Host-ostiary-\(page)", cookie.drop { $0 != "=" })
            for other in [
                nil, "", "\(name)=", "\(name)=x", "ostiary-\(page)\(value)", "__Host-ostiary\(value)", "\(cookie); \(cookie)", cookie + "A",
            ] {
                #expect(try await browser.get(path, cookie: other, page: page).status == .unauthorized, "\(other ?? "none")")
            }
            for path in ["/pages/renew", "/pages/code"] {
                #expect(try await browser.post(path, #"{"code":"K7Q3"}"#, cookie: nil, page: page).status == .unauthorized)
            }
        }
    }

    @Test("A page that is loaded again goes on by its cookie, for half an hour")
    func lasts() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open()
            for _ in 0..<3 { #expect(try await browser.get("/pages/state", cookie: "other=1; \(cookie)").status == .ok) }
            premises.clock.advance(PageLifetime.page)
            #expect(try await browser.get("/pages/state", cookie: cookie).status == .unauthorized)
        }
    }

    @Test(
        "What changes something is refused from any other site",
        arguments: [nil, "null", "https://evil.example", "https://login.example.evil.example", "http://login.example", "https://login.example:444"])
    func checksOrigin(origin: String?) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.enrol)
            let ticket = try await browser.ticket()
            for (path, body) in PageClient.changes(by: ticket) {
                let refused = try await browser.post(path, body, cookie: cookie, origin: origin)
                #expect(refused.status == .forbidden && JSONObject(refused.body).text("error") == "foreign_origin", "\(path)")
            }
            #expect(try await browser.redeem(ticket).status == .ok)
        }
    }

    @Test("Neither ticket nor cookie is in the database, nor is the link that the cookie opens")
    func storesHashes() async throws {
        let secret = PageSecret(using: SystemRandomSource())
        let sealed = try SealedLink([1, 2, 3], under: secret)
        #expect(sealed.opened(by: secret) == [1, 2, 3])
        #expect(sealed.opened(by: PageSecret(using: SystemRandomSource())) == nil)
        #expect(!sealed.bytes.contains([1, 2, 3]))
        #expect("\(secret)" == "‹secret›")
        #expect(secret.hash == SHA(secret.text.utf8))
    }

    @Test("Random bytes at every page call are refused: never 5xx, never a trap")
    func survivesNoise() async throws {
        let premises = try await PagesFixture()
        let random = SystemRandomSource()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.enrol)
            for _ in 0..<200 {
                let noise = String(decoding: random.bytes(1 + Int(random.bytes(1)[0])), as: UTF8.self)
                let printable = String(decoding: random.bytes(40).map { $0 & 0x3F + 0x30 }, as: UTF8.self)
                for path in ["/pages/ticket", "/pages/renew", "/pages/code", "/pages/link"] {
                    for body in [noise, #"{"ticket":"\#(printable)","code":"\#(printable)","link":"\#(printable)"}"#] {
                        #expect(try await browser.post(path, body, cookie: cookie).status.code < 500)
                    }
                    #expect(try await browser.post(path, "{}", cookie: printable).status.code < 500)
                }
                for path in ["/login", "/enrol", "/l", "/pages/state", "/sessions/events"] {
                    #expect(
                        try await browser.get("\(path)?\(printable.filter(\.isLetter))=1&server=\(printable.filter(\.isLetter))", cookie: printable)
                            .status.code < 500)
                }
            }
        }
    }
}

extension [UInt8] {
    fileprivate func contains(_ part: [UInt8]) -> Bool { indices.contains { self[$0...].starts(with: part) } }
}
