import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("What the public listener refuses")
struct PublicErrorTests {
    static let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

    @Test("Who opens the bare address, or one where nothing is, gets a page that says how to go on", arguments: ["/", "/nothing", "/pages/old.html"])
    func missing(path: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let response = try await browser.open(path, accepting: Self.browser)
            #expect(response.status == .notFound)
            #expect(response.headers[.contentType] == "text/html; charset=utf-8")
            #expect(String(buffer: response.body).contains("start again from the site"))
        }
    }

    @Test("Who opens the address of a call gets that page as well", arguments: ["/pages/ticket", "/pages/renew", "/pages/code", "/pages/link"])
    func openedCall(path: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let response = try await browser.open(path, accepting: Self.browser)
            #expect(response.status == .methodNotAllowed && response.headers[.allow] == "OPTIONS, POST")
            #expect(response.headers[.contentType] == "text/html; charset=utf-8")
            #expect(String(buffer: response.body).contains("start again from the site"))
        }
    }

    @Test("Programs are still told in JSON", arguments: [nil, "*/*", "application/json", "text/event-stream"])
    func programs(accept: String?) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            for (path, error) in [("/nothing", "not_found"), ("/pages/state", "no_page"), ("/sessions/events", "bad_request")] {
                #expect(JSONObject(try await browser.open(path, accepting: accept).body).text("error") == error)
            }
        }
    }

    @Test("A call of a page is answered in JSON whatever it takes: only an address that was opened gets a page")
    func calls() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            for (type, error) in [("application/json", "no_page"), ("text/plain", "unsupported_media_type")] {
                let headers: HTTPFields = [.accept: Self.browser, .origin: "https://login.example", .contentType: type]
                let response = try await browser.client.execute(uri: "/pages/renew", method: .post, headers: headers, body: nil)
                #expect(JSONObject(response.body).text("error") == error)
            }
        }
    }

    @Test("The icon is there where browsers look for it")
    func icon() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let response = try await browser.get("/favicon.ico")
            #expect(response.status == .ok && response.headers[.contentType] == "image/svg+xml")
        }
    }

    @Test(
        "Refusals carry the headers of pages",
        arguments: [
            ("/", HTTPRequest.Method.get, 404), ("/pages/state", .get, 401), ("/pages/events", .get, 401), ("/sessions/events", .get, 400),
            ("/pages/renew", .post, 403), ("/pages/link", .post, 403), ("/login", .put, 404),
        ])
    func carriesHeaders(path: String, method: HTTPRequest.Method, status: Int) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            for accept in ["*/*", Self.browser] {
                let response = try await browser.client.execute(uri: path, method: method, headers: [.accept: accept], body: nil)
                #expect(response.status.code == status || response.status == .methodNotAllowed)
                #expect(response.headers[.contentSecurityPolicy]?.contains("require-trusted-types-for 'script'") == true)
                #expect(response.headers[.xContentTypeOptions] == "nosniff")
                #expect(response.headers[.strictTransportSecurity] != nil)
                for name in ["X-Frame-Options", "Referrer-Policy", "Permissions-Policy"] { #expect(response.headers[HTTPField.Name(name)!] != nil) }
                #expect(response.headers[.cacheControl] == "no-store")
            }
        }
    }

    @Test("What phones are answered goes without the headers of pages", arguments: ["/ap1", "/ap1/nothing"])
    func phones(path: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let response = try await browser.get(path)
            #expect(response.headers[.contentSecurityPolicy] == nil && response.headers[HTTPField.Name("Referrer-Policy")!] == nil)
        }
    }

    @Test("A page's call takes two kilobytes and no more", arguments: ["/pages/ticket", "/pages/link", "/pages/code"])
    func limitsBodies(path: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.enrol)
            for (size, isTaken) in [(2_048, true), (2_049, false), (60_000, false)] {
                let body = #"{"x":""# + String(repeating: "a", count: size - 8) + #""}"#
                // A call that is no page's names none.
                let status = try await browser.post(path, body, cookie: path == "/pages/code" ? cookie : nil).status
                #expect((status != .contentTooLarge) == isTaken && status.code < 500, "\(size) bytes: \(status)")
            }
        }
    }
}

extension PageClient {
    /// As the address bar does it.
    fileprivate func open(_ path: String, accepting accept: String?) async throws -> TestResponse {
        var headers: HTTPFields = [:]
        headers[.accept] = accept
        return try await client.execute(uri: path, method: .get, headers: headers, body: nil)
    }
}
