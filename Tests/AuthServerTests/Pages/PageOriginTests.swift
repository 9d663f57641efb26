import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import AuthServer

@Suite("Where the calls of a page come from")
struct PageOriginTests {
    private func post(_ browser: PageClient, _ path: String, _ body: String, _ cookie: String?, site: String?) async throws -> Int {
        var headers: HTTPFields = [.origin: "https://login.example"]
        headers[.cookie] = cookie
        headers[.fetchSite] = site
        return try await browser.client.execute(uri: path, method: .post, headers: headers, body: ByteBuffer(string: body)).status.code
    }

    @Test(
        "A browser that says that a call comes from elsewhere is believed, whatever the origin is said to be",
        arguments: ["cross-site", "same-site", "none", "", "same-origin, cross-site"])
    func fetchSite(_ site: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.enrol)
            let ticket = try await browser.ticket()
            let before = try await browser.get("/pages/state", cookie: cookie).body
            for (path, body) in [
                ("/pages/ticket", #"{"ticket":"\#(ticket)"}"#), ("/pages/renew", "{}"), ("/pages/code", #"{"code":"K7Q3"}"#), ("/pages/link", "{}"),
            ] {
                #expect(try await post(browser, path, body, cookie, site: site) == 403, "\(path)")
            }
            #expect(try await browser.get("/pages/state", cookie: cookie).body == before)
            let redeemed = try await post(browser, "/pages/ticket", #"{"ticket":"\#(ticket)"}"#, nil, site: "same-origin")
            #expect(redeemed == 200, "the ticket was not spent")
        }
    }

    @Test("Older browsers, which say nothing of it, are told apart by the origin alone")
    func withoutFetchSite() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let ticket = try await browser.ticket()
            #expect(try await post(browser, "/pages/ticket", #"{"ticket":"\#(ticket)"}"#, nil, site: nil) == 200)
        }
    }
}
