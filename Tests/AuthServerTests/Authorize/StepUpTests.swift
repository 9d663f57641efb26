import Authentication
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OAuthProvider
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("An API that wants more of somebody, RFC 9470", .onBothEngines, .timeLimit(.minutes(10)))
struct StepUpTests {
    private static let secret = "secret of the API"
    private static let basic = "Basic \(Data("things:secret+of+the+API".utf8).base64EncodedString())"

    /// The API's own client, which may ask about tokens.
    private func addResourceServer(_ fixture: AuthorizeFixture) async throws {
        var application = OAuthProvider.Application(
            id: try #require(ClientID("things")), server: fixture.server, kind: .machine, name: "Things", authentication: .basic)
        application.secrets = [ClientSecret(hash: ClientSecret.hash(of: Self.secret), expiresAt: nil)]
        application.serves = [AuthorizeFixture.api]
        let saved = application
        try await fixture.oauthStore.write { rows in try rows.save(saved) }
    }

    private func post(_ browser: Browser, _ path: String, _ form: OAuthClient.Form, _ authorization: String? = nil) async throws
        -> OstiaryTokens.JSONObject
    {
        var headers: HTTPFields = [.contentType: OAuthClient.formType]
        headers[.authorization] = authorization
        let body = ByteBuffer(string: OAuthClient.encoded(form))
        return try JSONReader.object(Array(buffer: try await browser.client.execute(uri: path, method: .post, headers: headers, body: body).body))
    }

    /// The access token that an answer's code is exchanged for.
    private func token(_ browser: Browser, _ answer: TestResponse) async throws -> String {
        let code = try #require(Browser.parameter("code", of: answer.headers[.location]))
        let form: OAuthClient.Form = [
            "grant_type": "authorization_code", "client_id": "shop", "code_verifier": Sample.verifier, "redirect_uri": AuthorizeFixture.callback,
            "code": code,
        ]
        return try #require(try await post(browser, "/oauth/token", form)["access_token"]?.string)
    }

    /// That the token and what the API is told of it say how and when somebody logged in.
    private func expect(_ token: String, _ acr: String, at moment: Instant, _ browser: Browser) async throws {
        let told = try await post(browser, "/oauth/introspect", ["token": token], Self.basic)
        #expect(told["active"] == .bool(true))
        for claims in [try UnverifiedJWS(compact: token).claimed, told] {
            #expect(claims["acr"] == .string(acr) && claims["auth_time"] == .moment(moment))
        }
    }

    private func request(_ changes: KeyValuePairs<String, String?> = [:]) -> String {
        Browser.request("shop", AuthorizeFixture.callback, changes)
    }

    @Test("From a weak login by acr_values to a stronger one, and by max_age to a newer one: JWT and introspection say acr and auth_time")
    func stepUp() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await addResourceServer(fixture)
        try await fixture.run { (browser) async throws in
            let begun = fixture.clock.now
            let weak = try await token(browser, try await browser.logIn(try await browser.authorize(request()), as: alice, methods: []))
            try await expect(weak, "sf", at: begun, browser)
            // Her login goes on, and is not enough for what the API's challenge says.
            fixture.clock.advance(60)
            #expect(Browser.parameter("code", of: try await browser.authorize(request()).headers[.location]) != nil)
            let silent = try await browser.authorize(request(["acr_values": "mfa", "prompt": "none"]))
            #expect(Browser.parameter("error", of: silent.headers[.location]) == "login_required")
            let visit = try await browser.openLogin(try await browser.authorize(request(["acr_values": "mfa"])))
            #expect(try await fixture.session(visit.nonce).request.demand == .fresh(.max))
            let strong = try await token(browser, try await browser.comeBack(visit, try await fixture.approve(alice, visit.nonce)))
            try await expect(strong, "mfa", at: begun + 60, browser)
            // Strong enough by now, and after a while too old.
            fixture.clock.advance(100)
            let known = try await token(browser, try await browser.authorize(request(["acr_values": "mfa", "max_age": "100"])))
            try await expect(known, "mfa", at: begun + 60, browser)
            let again = try await browser.openLogin(try await browser.authorize(request(["acr_values": "mfa", "max_age": "99"])))
            #expect(try await fixture.session(again.nonce).request.demand == .fresh(99))
            let fresh = try await token(browser, try await browser.comeBack(again, try await fixture.approve(alice, again.nonce)))
            try await expect(fresh, "mfa", at: begun + 160, browser)
            // A token says what was when it was given: the API goes on refusing the first one.
            try await expect(weak, "sf", at: begun, browser)
        }
    }

    @Test("Who logs in no more strongly than before has no token for it, and the client hears why")
    func unmet() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let answer = try await browser.logIn(try await browser.authorize(request(["acr_values": "mfa"])), as: alice, methods: [])
            #expect(Browser.parameter("error", of: answer.headers[.location]) == "unmet_authentication_requirements")
        }
    }
}
