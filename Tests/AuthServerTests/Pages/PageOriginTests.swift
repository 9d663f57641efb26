import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import AuthServer

@Suite("Where the calls of a page come from")
struct PageOriginTests {
    private func post(
        _ browser: PageClient, _ path: String, _ body: String, _ cookie: String?, site: String?, type: String? = "application/json"
    ) async throws -> Int {
        var headers: HTTPFields = [.origin: "https://login.example"]
        headers[.contentType] = type
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
            for (path, body) in PageClient.changes(by: ticket) {
                #expect(try await post(browser, path, body, cookie, site: site) == 403, "\(path)")
            }
            #expect(try await browser.get("/pages/state", cookie: cookie).body == before)
            let redeemed = try await post(browser, "/pages/ticket", #"{"ticket":"\#(ticket)"}"#, nil, site: "same-origin")
            #expect(redeemed == 200, "the ticket was not spent")
        }
    }

    @Test(
        "What no script of ours sends is 415 and changes nothing: forms of other sites, and whatever else browsers send anywhere without asking first",
        arguments: [
            nil, "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a", "text/plain; application/json",
            "application/json, text/plain", "application/jsonp", "application/json; charset=utf-16", "application/json; charset=utf-8; a=b",
        ])
    func otherTypes(_ type: String?) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.enrol)
            let ticket = try await browser.ticket()
            for (path, body) in PageClient.changes(by: ticket) {
                #expect(try await post(browser, path, body, cookie, site: "same-origin", type: type) == 415, "\(path)")
            }
            #expect(try await browser.redeem(ticket).status == .ok, "the ticket was not spent")
        }
    }

    @Test(
        "JSON is JSON however it is written",
        arguments: ["application/json", "Application/JSON", "application/json;charset=UTF-8", "application/json;"])
    func json(_ type: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let body = #"{"ticket":"\#(try await browser.ticket())"}"#
            #expect(try await post(browser, "/pages/ticket", body, nil, site: nil, type: type) == 200)
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
