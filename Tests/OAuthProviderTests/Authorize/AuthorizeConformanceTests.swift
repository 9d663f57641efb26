import Authentication
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

/// By the names of the official plans' modules, where a request is taken that differs from the usual one: docs/conformance.md.
@Suite("Requests that official plans make and a provider has to take")
struct AuthorizeConformanceTests {
    private typealias Fixture = ProviderFixture

    @Test("ensure-request-without-nonce-succeeds-for-code-flow, without-state-success: what was not sent is not given back")
    func bare() async throws {
        let fixture = try await ProviderFixture()
        let request = try await fixture.request(fixture.authorization(["nonce": nil, "state": nil]))
        #expect(request.nonce == nil && request.state == nil)
        fixture.logIn(Fixture.login(at: fixture.now))
        let response = try await fixture.authorize.give(request, fixture.visit(isConfirmed: true), now: fixture.now)
        #expect(Fixture.parameter("state", of: response.location) == nil)
        let code = try #require(Fixture.parameter("code", of: response.location))
        #expect(try fixture.idClaims(try await fixture.answer(fixture.exchange(code)).idToken)["nonce"] == nil)
    }

    @Test("ensure-other-scope-order-succeeds: scopes in any order are the same")
    func order() async throws {
        let fixture = try await ProviderFixture()
        let turned = Fixture.fullScope.split(separator: " ").reversed().joined(separator: " ")
        let request = try await fixture.request(fixture.authorization(["scope": turned]))
        #expect(Set(request.scopes.scopes) == Set(try await fixture.request(fixture.authorization()).scopes.scopes))
    }

    @Test("display-page, display-popup, claims-locales: what would only change how a page looks hinders nobody")
    func looks() async throws {
        let fixture = try await ProviderFixture()
        let usual = try await fixture.request(fixture.authorization())
        for (name, value) in [("display", "page"), ("display", "popup"), ("claims_locales", "se")] {
            #expect(try await fixture.request(fixture.authorization() + [Parameter(name, value)]) == usual)
        }
    }

    @Test("ui-locales, login-hint: both go to the page as they came, and decide nothing")
    func hints() async throws {
        let fixture = try await ProviderFixture()
        let request = try await fixture.request(fixture.authorization(["ui_locales": "se nl", "login_hint": "bob@example.com"]))
        #expect(request.uiLocales == ["se", "nl"] && request.loginHint == "bob@example.com" && request.hinted == nil)
        #expect(request.expectedName == "bob@example.com")
    }

    @Test(
        "Whom a client expects is shown by a single word: no sentence of whoever made the link stands on a page of ours",
        arguments: ["Call 555 at once", "a\u{A0}b", "a\u{200F}b", "\u{2800}", String(repeating: "a", count: 101)])
    func sentences(hint: String) async throws {
        let fixture = try await ProviderFixture()
        let request = try await fixture.request(fixture.authorization(["login_hint": hint]))
        #expect(request.expectedName == nil && request.loginHint == hint)
    }

    @Test("ensure-authorization-request-with-64-char-nonce-success, and with long ones: the ID token has the whole of it", arguments: [64, 384])
    func nonce(_ count: Int) async throws {
        let nonce = String(repeating: "n", count: count)
        let fixture = try await ProviderFixture()
        #expect(try fixture.idClaims(try await fixture.tokens(["nonce": nonce]).idToken)["nonce"] == .string(nonce))
    }

    @Test("ensure-dpopproof-at-par-endpoint-binding-success, ensure-dpop-auth-code-binding-success: the key that was named redeems the code")
    func bound() async throws {
        let fixture = try await ProviderFixture()
        let key = try Fixture.phoneKey(51).key.thumbprint
        let code = try await fixture.code(["dpop_jkt": key.text])
        #expect(try await fixture.answer(fixture.exchange(code, proofs: [fixture.proof(51)])).type == .dpop)
    }

    @Test("ensure-redirect-uri-in-authorization-request: a client that has to send its requests ahead names its address, also its only one")
    func address() async throws {
        let fixture = try await ProviderFixture()
        let parameters = fixture.authorization(["redirect_uri": nil])
        #expect(try await fixture.request(parameters).redirect.presented == nil, "who need not may leave it out")
        try await fixture.change("mobile") { $0.requiresPushedRequests = true }
        let call = try Fixture.post(parameters, address: "https://login.example/oauth/par")
        await #expect(throws: AuthorizeRefusal.redirectMissing) { try await fixture.services.push.push(call, at: fixture.now) }
    }

    @Test("idtoken-signature: an ID token is signed with the algorithm that its client is registered with, by a key that is published")
    func signature() async throws {
        let fixture = try await ProviderFixture(signers: [try drawnRSA()])
        for algorithm in SignatureAlgorithm.allCases {
            try await fixture.change("mobile") { $0.idTokenAlgorithm = algorithm }
            let token = try #require(try await fixture.tokens().idToken)
            let header = try UnverifiedJWS(compact: token).header
            #expect(header.algorithm == algorithm)
            #expect(try fixture.idClaims(token)["sub"] == .string("alice"))
            #expect(fixture.keyring.tokenKeys.published.keys.contains { $0.id == header.keyID && $0.algorithm == algorithm })
        }
    }

    @Test("An access token is signed with the algorithm of its API, ES256 where none is said; that of the client is for its ID tokens alone")
    func accessTokenSignature() async throws {
        let fixture = try await ProviderFixture(signers: [try drawnRSA()])
        #expect(try UnverifiedJWS(compact: try await fixture.tokens().accessToken).header.algorithm == .es256)
        for (api, client) in [(.edDSA, .rs256), (.rs256, .es256), (.es256, .edDSA)] as [(SignatureAlgorithm, SignatureAlgorithm)] {
            try await fixture.changeAPI { $0.algorithm = api }
            try await fixture.change("mobile") { $0.idTokenAlgorithm = client }
            let first = try await fixture.tokens()
            let next = try await fixture.answer(fixture.refresh(first.refreshToken))
            for response in [first, next] {
                #expect(try UnverifiedJWS(compact: response.accessToken).header.algorithm == api)
                #expect(try UnverifiedJWS(compact: try #require(response.idToken)).header.algorithm == client)
                #expect(try fixture.claims(response.accessToken).subject == "alice")
            }
            let call = try fixture.call(["grant_type": "client_credentials"], authorization: [Fixture.batchBasic])
            #expect(try UnverifiedJWS(compact: try await fixture.answer(call).accessToken).header.algorithm == api)
        }
    }

    private func drawnRSA() throws -> LocalSigner { try LocalSigner(.rs256, stored: try LocalSigner.drawn(.rs256, using: SeededRandom("provider"))) }
}
