import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@Suite("Introspection and revocation, RFC 7662 and RFC 7009")
struct IntrospectionTests {
    private typealias Fixture = ProviderFixture

    private func revoke(_ fixture: ProviderFixture, _ token: String?, client: String = "mobile") async throws {
        try await fixture.services.revocation.revoke(try fixture.call(["token": token, "client_id": client]), at: fixture.now)
    }

    @Test("S0-23 an API hears of a token for it whether its person is still logged in")
    func active() async throws {
        let fixture = try await ProviderFixture()
        let response = try await fixture.tokens(["scope": "openid read:timesheets"])
        guard case .accessToken(let claims) = try await fixture.facts(of: response.accessToken) else {
            Issue.record("a good token is not known")
            return
        }
        #expect(claims == (try fixture.claims(response.accessToken)))
        let json = TokenFacts.accessToken(claims).json
        #expect(json["active"] == .bool(true) && json["token_type"] == .string("Bearer") && json["client_id"] == .string("mobile"))
        fixture.memory.change { $0.sessions = [:] }
        #expect(try await fixture.facts(of: response.accessToken) == .inactive)
        #expect(String(decoding: TokenFacts.inactive.json.encoded, as: UTF8.self) == #"{"active":false}"#)
    }

    @Test("A token that is over, changed, of another provider or no token at all is inactive")
    func inactive() async throws {
        let fixture = try await ProviderFixture()
        let response = try await fixture.tokens()
        let foreign = try LocalSigner(.es256, stored: [UInt8](repeating: 90, count: 32)).sign(
            try fixture.claims(response.accessToken).json, as: .accessToken)
        for token in ["x", foreign, response.accessToken + "A", response.idToken, "a.b.c"] {
            #expect(try await fixture.facts(of: token) == .inactive)
        }
        fixture.clock.advance(86_399)
        #expect(try await fixture.facts(of: response.accessToken) != .inactive)
        fixture.clock.advance(1)
        #expect(try await fixture.facts(of: response.accessToken) == .inactive)
    }

    @Test("Who is not the token's client and does not serve its API learns nothing")
    func strangers() async throws {
        let fixture = try await ProviderFixture()
        let token = try await fixture.tokens().accessToken
        #expect(try await fixture.facts(of: token, by: Fixture.basic) == .inactive)
        await #expect(throws: TokenRefusal.publicClient) {
            try await fixture.services.introspection.facts(try fixture.call(["token": token, "client_id": "mobile"]), at: fixture.now)
        }
        await #expect(throws: TokenRefusal.client(.missing)) {
            try await fixture.services.introspection.facts(try fixture.call(["token": token]), at: fixture.now)
        }
        await #expect(throws: TokenRefusal.parameterMissing("token")) { try await fixture.facts(of: nil) }
    }

    @Test("A refresh token is told about to its client, and not to an API")
    func refreshToken() async throws {
        let fixture = try await ProviderFixture()
        let token = try await fixture.webTokens("openid offline_access").refreshToken
        guard case .refreshToken(let standing) = try await fixture.facts(of: token, by: Fixture.basic) else {
            Issue.record("a client does not know its own token")
            return
        }
        #expect(standing.person.subject == "alice")
        #expect(try await fixture.facts(of: token) == .inactive)
    }

    @Test("S3-46 revoking a refresh token logs the device out: the grant is over, with every token on it")
    func revokeRefresh() async throws {
        let fixture = try await ProviderFixture()
        let response = try await fixture.tokens()
        let next = try await fixture.answer(fixture.refresh(response.refreshToken))
        // By an older token of the family, too.
        try await revoke(fixture, response.refreshToken)
        #expect(try await fixture.refusal(of: fixture.refresh(next.refreshToken)) == .grantOver)
        #expect(try await fixture.facts(of: next.accessToken) == .inactive)
        try await revoke(fixture, response.refreshToken)
    }

    @Test("Revoking an access token ends that one alone", arguments: [ProtectedAPI.TokenForm.jwt, .opaque])
    func revokeAccess(form: ProtectedAPI.TokenForm) async throws {
        let fixture = try await ProviderFixture()
        try await fixture.changeAPI { $0.form = form }
        let first = try await fixture.tokens()
        let second = try await fixture.answer(fixture.refresh(first.refreshToken))
        try await revoke(fixture, first.accessToken)
        #expect(try await fixture.facts(of: first.accessToken) == .inactive)
        #expect(try await fixture.facts(of: second.accessToken) != .inactive)
        #expect(try await fixture.refusal(of: fixture.refresh(second.refreshToken)) == nil)
    }

    @Test("Nobody revokes another's token, and nobody learns that it is one")
    func revokeOthers() async throws {
        let fixture = try await ProviderFixture()
        let response = try await fixture.tokens()
        for token in [response.accessToken, response.refreshToken, "x"] {
            try await fixture.services.revocation.revoke(try fixture.call(["token": token], authorization: [Fixture.basic]), at: fixture.now)
        }
        #expect(try await fixture.facts(of: response.accessToken) != .inactive)
        #expect(try await fixture.refusal(of: fixture.refresh(response.refreshToken)) == nil)
        await #expect(throws: TokenRefusal.client(.secretWrong)) {
            try await fixture.services.revocation.revoke(
                try fixture.call(["token": "x", "client_id": "web", "client_secret": "wrong"]), at: fixture.now)
        }
    }

    @Test("Tokens of a client that was disabled open nothing")
    func disabledClient() async throws {
        let fixture = try await ProviderFixture()
        let token = try await fixture.tokens().accessToken
        try await fixture.change("mobile") { $0.isEnabled = false }
        #expect(try await fixture.facts(of: token) == .inactive)
    }
}
