import Authentication
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@Suite("The exchange of a webNonce, RFC 8693")
struct ExchangeGrantTests {
    private typealias Fixture = ProviderFixture
    private static let webNonce = "webNonce-webNonce-webNonce-webNonce-webNonce"

    private func fixture(key: UInt8? = 51, rerunning: Bool = false) async throws -> ProviderFixture {
        let fixture = try await ProviderFixture(rerunning: rerunning)
        let thumbprint = try key.map { try Fixture.phoneKey($0).key.thumbprint }
        fixture.memory.change {
            $0.appSessions[Transcript.nonce(Self.webNonce)] = AppSession(
                session: Fixture.session, login: Fixture.login(binding: .app, hasReturned: false), tokenKey: thumbprint)
        }
        return fixture
    }

    private func call(_ fixture: ProviderFixture, key: UInt8? = 51, _ changes: KeyValuePairs<String, String?> = [:]) throws -> TokenCall {
        let parameters = [
            Parameter("grant_type", GrantType.tokenExchange.rawValue), Parameter("client_id", "mobile"), Parameter("subject_token", Self.webNonce),
            Parameter("subject_token_type", ExchangeGrant.webNonceType), Parameter("audience", fixture.timesheets.text),
            Parameter("scope", "read:timesheets openid"),
        ]
        return try Fixture.post(parameters.changed(changes), proofs: try key.map { [try fixture.proof($0)] } ?? [])
    }

    @Test("S0-18 a webNonce and a proof of the phone's key give an access token, and no code verifier is asked for", arguments: [false, true])
    func good(rerunning: Bool) async throws {
        let fixture = try await fixture(rerunning: rerunning)
        let response = try await fixture.answer(call(fixture))
        #expect(response.type == .dpop && response.refreshToken == nil)
        #expect(response.issuedType == "urn:ietf:params:oauth:token-type:access_token")
        #expect(response.life == 300)
        try await fixture.changeAPI { $0.sessionLife = 60 }
        #expect(try await fixture.answer(call(fixture)).life == 60)
        let claims = try fixture.claims(response.accessToken, proof: try Fixture.phoneKey(51).key.thumbprint)
        #expect(claims.subject == "alice" && claims.authentication?.acr == "mfa")
    }

    @Test("The attack with a leaked webNonce: without the phone's key it gives nothing, and does not even show that it is good")
    func leaked() async throws {
        let fixture = try await fixture()
        #expect(try await fixture.refusal(of: call(fixture, key: nil)) == .proof(.missing))
        #expect(try await fixture.refusal(of: call(fixture, key: 52)) == .subjectTokenUnknown)
        #expect(try await fixture.refusal(of: call(fixture, ["subject_token": "nobody's"])) == .subjectTokenUnknown)
        let unbound = try await self.fixture(key: nil)
        #expect(try await unbound.refusal(of: call(unbound)) == .subjectTokenUnknown)
    }

    @Test("S0-22, S0-23 the token ends with the session: whoever asks hears it at once")
    func ended() async throws {
        let fixture = try await fixture()
        let token = try await fixture.answer(call(fixture)).accessToken
        guard case .accessToken = try await fixture.facts(of: token) else {
            Issue.record("the token is not known")
            return
        }
        fixture.memory.change { $0.sessions = [:] }
        #expect(try await fixture.facts(of: token) == .inactive)
        #expect(try await fixture.refusal(of: call(fixture)) == .subjectTokenUnknown)
    }

    @Test("However often an app asks, there is one grant for what it asks")
    func oneGrant() async throws {
        let fixture = try await fixture()
        func holder(_ changes: KeyValuePairs<String, String?> = [:]) async throws -> TokenNumber.Holder? {
            let response = try await fixture.answer(call(fixture, changes))
            return TokenNumber.holder(of: try fixture.claims(response.accessToken, proof: try Fixture.phoneKey(51).key.thumbprint).id)
        }
        let first = try await holder()
        #expect(try await holder() == first)
        #expect(try await holder(["scope": "read:timesheets"]) != first)
    }

    @Test("What is asked for is what can be given here")
    func malformed() async throws {
        let fixture = try await fixture()
        #expect(
            try await fixture.refusal(of: call(fixture, ["subject_token_type": ExchangeGrant.accessTokenType])) == .subjectTokenTypeWrong)
        #expect(try await fixture.refusal(of: call(fixture, ["subject_token_type": nil])) == .parameterMissing("subject_token_type"))
        #expect(
            try await fixture.refusal(of: call(fixture, ["requested_token_type": "urn:ietf:params:oauth:token-type:saml2"])) == .requestedTypeWrong)
        #expect(try await fixture.refusal(of: call(fixture, ["actor_token": "x"])) == .actorNotSupported)
        #expect(try await fixture.refusal(of: call(fixture, ["audience": "https://other.example"])) == .targetUnknown)
        #expect(try await fixture.refusal(of: call(fixture, ["scope": "batch:upload"])) == .nothingGranted)
    }

    @Test("The attack of a borrowed audience: openid, which every client may ask, opens no API that is not the client's")
    func otherAPI() async throws {
        let fixture = try await fixture()
        try await fixture.change("mobile") { $0.apis = [:] }
        #expect(try await fixture.refusal(of: call(fixture)) == .targetUnknown)
        #expect(try await fixture.refusal(of: call(fixture, ["scope": "openid"])) == .targetUnknown)
        #expect(try await fixture.refusal(of: call(fixture, ["scope": "openid", "audience": nil])) == nil)
    }

    @Test("The attack of a foreign app: what nobody let it have it doesn't get for a webNonce, and of another consent nothing")
    func withoutConsent() async throws {
        let fixture = try await fixture()
        try await fixture.change("mobile") { $0.isFirstParty = false }
        func consent(_ scope: String, of account: AccountID = Fixture.alice, to client: String = "mobile", for api: APIIdentifier?) async throws {
            let consent = Consent(account: account, client: try fixture.client(client), api: api, scopes: Fixture.scope(scope))
            try await fixture.memory.write { rows in try rows.save(consent, of: Fixture.server) }
        }
        let identity: KeyValuePairs<String, String?> = ["audience": nil, "scope": nil]
        #expect(try await fixture.refusal(of: call(fixture)) == .consentMissing)
        #expect(try await fixture.refusal(of: call(fixture, identity)) == .consentMissing)
        #expect(TokenRefusal.consentMissing.code == .invalidScope)
        try await consent("read:timesheets openid", of: Fixture.manager, for: fixture.timesheets)
        try await consent("read:timesheets openid", to: "web", for: fixture.timesheets)
        try await consent("read:timesheets openid", for: nil)
        #expect(try await fixture.refusal(of: call(fixture)) == .consentMissing)
        #expect(try await fixture.answer(call(fixture, identity)).scopes.text == "openid")
        // What they let it have, and no more of what it asks.
        try await consent("read:timesheets", for: fixture.timesheets)
        #expect(try await fixture.answer(call(fixture)).scopes.text == "read:timesheets")
        #expect(try await fixture.answer(call(fixture, ["scope": nil])).scopes.text == "read:timesheets")
        #expect(try await fixture.refusal(of: call(fixture, ["scope": "create:timesheets"])) == .consentMissing)
    }

    @Test(
        "Withdrawn and given again within one session: what was given before stays over, and what the person agreed to since is given",
        arguments: [false, true])
    func givenAgain(rerunning: Bool) async throws {
        let fixture = try await fixture(rerunning: rerunning)
        let registry = RegistryService(store: fixture.store, random: fixture.random)
        let mobile = try fixture.client("mobile")
        try await fixture.change("mobile") { $0.isFirstParty = false }
        let agreed = Consent(
            account: Fixture.alice, client: mobile, api: fixture.timesheets, scopes: Fixture.scope("read:timesheets openid"), givenAt: fixture.now)
        try await fixture.memory.write { rows in try rows.save(agreed, of: Fixture.server) }
        let first = try await fixture.answer(call(fixture)).accessToken
        _ = try await registry.withdrawConsents(.byUser("alice", to: mobile), at: Fixture.server, by: .operator, now: fixture.now)
        #expect(try await fixture.facts(of: first) == .inactive)
        #expect(try await fixture.refusal(of: call(fixture)) == .consentMissing)

        fixture.clock.advance(60)
        var again = agreed
        again.givenAt = fixture.now
        let saved = again
        try await fixture.memory.write { rows in try rows.save(saved, of: Fixture.server) }
        let second = try await fixture.answer(call(fixture)).accessToken
        #expect(try await fixture.facts(of: second) != .inactive)
        #expect(try await fixture.facts(of: first) == .inactive)

        // Ended by an operator who leaves the consent, it stays over until the person agrees anew.
        _ = try await registry.endGrants(.byUser("alice", to: mobile), at: Fixture.server, by: .operator, now: fixture.now)
        #expect(try await fixture.refusal(of: call(fixture)) == .grantOver)
        #expect(try await fixture.facts(of: second) == .inactive)
    }

    @Test("What was agreed to before moments were written down gives what it gave, and once ended it stays over")
    func withoutMoment() async throws {
        let fixture = try await fixture()
        let registry = RegistryService(store: fixture.store, random: fixture.random)
        func holder() async throws -> TokenNumber.Holder? {
            let response = try await fixture.answer(call(fixture))
            return TokenNumber.holder(of: try fixture.claims(response.accessToken, proof: try Fixture.phoneKey(51).key.thumbprint).id)
        }
        let unasked = try await holder()
        try await fixture.change("mobile") { $0.isFirstParty = false }
        let mobile = try fixture.client("mobile")
        let agreed = Consent(account: Fixture.alice, client: mobile, api: fixture.timesheets, scopes: Fixture.scope("read:timesheets openid"))
        try await fixture.memory.write { rows in try rows.save(agreed, of: Fixture.server) }
        #expect(try await holder() == unasked)
        _ = try await registry.endGrants(.byUser("alice", to: mobile), at: Fixture.server, by: .operator, now: fixture.now)
        #expect(try await fixture.refusal(of: call(fixture)) == .grantOver)
    }

    @Test("An API whose people are asked by the operator's own applications too is given to none of them unasked")
    func consentOfAPI() async throws {
        let fixture = try await fixture()
        try await fixture.changeAPI { $0.firstPartySkipsConsent = false }
        #expect(try await fixture.refusal(of: call(fixture)) == .consentMissing)
        #expect(try await fixture.refusal(of: call(fixture, ["audience": nil, "scope": nil])) == nil)
    }

    @Test("Nothing that outlives the session is given for it")
    func noRefresh() async throws {
        let fixture = try await fixture()
        let response = try await fixture.answer(call(fixture, ["scope": "openid offline_access"]))
        #expect(response.refreshToken == nil && !response.scopes.contains(.offlineAccess))
    }
}
