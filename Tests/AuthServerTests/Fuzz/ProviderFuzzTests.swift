import Authentication
import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import OAuthProvider
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("Fuzz: the provider", .onBothEngines, .timeLimit(.minutes(10)))
struct ProviderFuzzTests {
    @Test("Whatever a browser sends to the provider's pages is answered: never 5xx, no line of error, and an honest visit ends with tokens after it")
    func pages() async throws {
        let (seed, heard) = (FuzzSeed("provider's pages"), HeardStatuses())
        for _ in 0..<(2 * FuzzSeed.rounds) {
            let fixture = try await AuthorizeFixture()
            let alice = try await fixture.addAccount()
            try await fixture.run { (browser) async throws in
                let conversation = FuzzedConversation(seed, browser.client, heard: heard)
                let visitor = FuzzedVisitor(browser, alice)
                try await conversation.begin(try await visitor.requests())
                try await conversation.goOn(try await visitor.requests(), times: FuzzSeed.times(250))
                let honest = browser.another()
                let answer = try await honest.logIn(try await honest.authorize(Browser.request()), as: alice)
                #expect(try await fixture.tokens(answer.headers[.location]).idToken != nil)
            }
            #expect(fixture.log.lines.filter { $0.level >= .error }.map(\.message) == [], "seed \(FuzzSeed.text)")
        }
        guard FuzzSeed.reachesAll else { return }
        // Done, sent on, malformed, of no visit, and from another site.
        #expect(heard.all.isSuperset(of: [200, 303, 400, 401, 403]), "seed \(FuzzSeed.text): \(heard.byName)")
    }

    @Test("Whatever a client sends to the provider's endpoints is answered: never 5xx, no line of error, and an honest code is tokens after it")
    func endpoints() async throws {
        let (seed, heard) = (FuzzSeed("provider's endpoints"), HeardStatuses())
        for _ in 0..<(2 * FuzzSeed.rounds) {
            let fixture = try await OAuthFixture()
            try await fixture.run { client in
                let conversation = FuzzedConversation(seed, client.client, heard: heard)
                try await conversation.begin(try await FuzzedClient(client, from: 10).requests())
                try await conversation.goOn(try await FuzzedClient(client, from: 20).requests(), times: FuzzSeed.times(250))
                #expect(try await client.exchange(try await fixture.code(30).text).status == 200)
            }
            #expect(fixture.log.lines.filter { $0.level >= .error }.map(\.message) == [], "seed \(FuzzSeed.text)")
        }
        guard FuzzSeed.reachesAll else { return }
        #expect(heard.all.isSuperset(of: [200, 201, 400, 401]), "seed \(FuzzSeed.text): \(heard.byName)")
        for (name, statuses) in heard.byName where !name.hasPrefix("/.well-known") {
            #expect(statuses.contains { $0 < 300 } && statuses.contains { $0 >= 400 }, "seed \(FuzzSeed.text) \(name): \(statuses)")
        }
    }
}

/// A browser that is logged in and has visits at the provider, and another one for what logs it out.
struct FuzzedVisitor: Sendable {
    private let browser: Browser
    private let account: Account

    init(_ browser: Browser, _ account: Account) {
        self.browser = browser
        self.account = account
    }

    private var fixture: AuthorizeFixture { browser.fixture }

    /// What it may send now, each of it once.
    func requests() async throws -> [FuzzedRequest] {
        let visitor = browser.another()
        _ = try await visitor.logIn(try await visitor.authorize(Browser.request()), as: account)
        var visits: [String] = []
        for _ in 0..<3 { visits.append(try await visitor.question(try await visitor.authorize(Self.asking)).visit) }
        let mark = try #require(JSONObject(try await visitor.get("/authorize/state?visit=\(visits[0])").body).text("mark"))
        let headers = Self.headers(of: visitor)
        let code = try await device().userCode.shown
        let reports = Self.words(of: Self.asking)
        let get = { (path: String, query: [FuzzedRequest.Word], right: Int) in FuzzedRequest(.get, path, query, headers: headers, right: right) }
        return [
            get("/authorize", Self.words(of: Browser.request()), 303), get("/authorize", reports, 303),
            FuzzedRequest(.post, "/authorize", headers: headers, body: .form(reports), right: 303),
            get("/authorize/consent", [.init("visit", visits[0])], 200), get("/authorize/state", [.init("visit", visits[0])], 200),
            get("/authorize/continue", [.init("visit", visits[1])], 303), get("/authorize/cancel", [.init("visit", visits[2])], 303),
            FuzzedRequest(
                .post, "/authorize/decision", [.init("visit", visits[0])], headers: headers, body: .json(#"{"mark":"\#(mark)","allow":true}"#)),
            get("/device", [.init("user_code", code)], 200),
            FuzzedRequest(.post, "/device/code", headers: headers, body: .json(#"{"code":"\#(code)"}"#)),
        ] + (try await leaving())
    }

    /// Of a client that is not the operator's own, and asks for more than it has been given.
    private static let asking = Browser.reports(["prompt": "consent"])

    private static func headers(of browser: Browser) -> HTTPFields {
        let cookies = browser.cookies.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ")
        return [.accept: "text/html", .origin: AuthorizeFixture.origin, .cookie: cookies]
    }

    private static func words(of query: String) -> [FuzzedRequest.Word] {
        query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0).removingPercentEncoding ?? "" }
            return FuzzedRequest.Word(parts[0], parts.count > 1 ? parts[1] : "")
        }
    }

    private func leaving() async throws -> [FuzzedRequest] {
        let leaver = browser.another()
        let answer = try await leaver.logIn(try await leaver.authorize(Browser.request()), as: account)
        let hint = try #require(try await fixture.tokens(answer.headers[.location]).idToken)
        let headers = Self.headers(of: leaver)
        let back = FuzzedRequest.Word("post_logout_redirect_uri", AuthorizeFixture.bye)
        return [
            FuzzedRequest(.get, "/logout", [back, .init("client_id", "shop")], headers: headers),
            FuzzedRequest(.get, "/logout", [.init("id_token_hint", hint), back, .init("state", "a b")], headers: headers, right: 303),
            FuzzedRequest(.post, "/logout/decision", headers: headers, body: .json(#"{"query":"client_id=shop"}"#)),
            FuzzedRequest(.get, "/logout/done", headers: headers),
        ]
    }

    /// A device waits for a code.
    private func device() async throws -> DeviceService.Begun {
        let call = TokenCall(
            server: fixture.server, method: "POST", contentType: OAuthClient.formType,
            parameters: [Parameter("client_id", "app"), Parameter("scope", "openid")],
            target: try #require(HTTPTarget(AuthorizeFixture.origin + "/oauth/device/code")))
        return try await fixture.oauth.devices.begin(call, at: fixture.clock.now)
    }
}

/// Clients of the provider, each as it shows who it is.
struct FuzzedClient: Sendable {
    private let client: OAuthClient
    /// The first of the numbers by which its codes are made.
    private let first: UInt8

    init(_ client: OAuthClient, from first: UInt8) {
        self.client = client
        self.first = first
    }

    /// What they may send now, each of it once.
    func requests() async throws -> [FuzzedRequest] {
        let fixture = client.fixture
        var policy = RegistrationPolicy(server: Sample.server)
        policy.mode = .open
        try await RegistryService(store: fixture.store, random: SystemRandomSource()).setRegistration(policy, by: .operator, now: fixture.now)
        let token = try await client.accessToken(first)
        let web: HTTPFields = [.authorization: OAuthClient.webBasic]
        return try await tokens() + [
            FuzzedRequest(.post, "/oauth/par", headers: web, body: .form(Self.pushed), right: 201),
            FuzzedRequest(
                .post, "/oauth/device/code",
                body: .form([.init("client_id", "shop-1"), .init("scope", "openid read"), .init("audience", Sample.api.text)])),
            FuzzedRequest(.post, "/oauth/bc-authorize", headers: web, body: .form(Self.asked)),
            FuzzedRequest(.post, "/oauth/introspect", headers: web, body: .form([.init("token", token)])),
            FuzzedRequest(.get, "/userinfo", headers: [.authorization: "Bearer \(token)"]),
            FuzzedRequest(.post, "/userinfo", body: .form([.init("access_token", token)])),
            FuzzedRequest(.post, "/oauth/register", body: .json(Self.registration), right: 201),
            FuzzedRequest(.get, "/.well-known/openid-configuration"), FuzzedRequest(.get, "/.well-known/jwks.json"),
            FuzzedRequest(.post, "/oauth/revoke", body: .form([.init("client_id", "shop-1"), .init("token", token)])),
        ]
    }

    /// By a code, a refresh token and an assertion.
    private func tokens() async throws -> [FuzzedRequest] {
        let fixture = client.fixture
        let exchange: [FuzzedRequest.Word] = [
            .init("grant_type", "authorization_code"), .init("client_id", "shop-1"), .init("code_verifier", Sample.verifier),
            .init("redirect_uri", "com.example.shop:/cb"),
        ]
        let code = try await fixture.code(first + 1).text
        let other = try await client.exchange(try await fixture.code(first + 2, offline: true).text)
        let refresh = try #require(other.json["refresh_token"]?.string)
        return [
            FuzzedRequest(.post, "/oauth/token", body: .form(exchange + [.init("code", code)])),
            FuzzedRequest(
                .post, "/oauth/token",
                body: .form([.init("grant_type", "refresh_token"), .init("client_id", "shop-1"), .init("refresh_token", refresh)])),
            FuzzedRequest(
                .post, "/oauth/token",
                body: .form([
                    .init("grant_type", "client_credentials"),
                    .init("client_assertion", try OAuthFixture.assertion(at: fixture.now, id: "assertion-\(first)")),
                    .init("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                ])),
        ]
    }

    private static let pushed: [FuzzedRequest.Word] = [
        .init("response_type", "code"), .init("redirect_uri", "https://reports.example/cb"), .init("scope", "openid read"),
        .init("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"), .init("code_challenge_method", "S256"), .init("state", "s"),
    ]
    private static let asked: [FuzzedRequest.Word] = [
        .init("scope", "openid read"), .init("audience", Sample.api.text), .init("login_hint", "alice"), .init("binding_message", "W4-12"),
    ]
    private static let registration =
        #"{"redirect_uris":["https://rp.example/cb"],"client_name":"Tool","grant_types":["authorization_code","refresh_token"]}"#
}
