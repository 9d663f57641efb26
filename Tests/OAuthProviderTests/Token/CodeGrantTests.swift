import Authentication
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@Suite("authorization_code, RFC 6749 §4.1.3")
struct CodeGrantTests {
    private typealias Fixture = ProviderFixture

    @Test("S3-28, S3-30, S3-31, S3-32, S3-34 the exchange of the reference gives what the reference says", arguments: [false, true])
    func reference(rerunning: Bool) async throws {
        let fixture = try await ProviderFixture(rerunning: rerunning)
        let response = try await fixture.tokens()
        #expect(response.type == .bearer)
        #expect(response.life == 86_400)
        #expect(response.scopes.text == Fixture.fullScope)
        #expect(response.refreshToken != nil)
        #expect(
            response.json.names == ["access_token", "token_type", "expires_in", "scope", "refresh_token", "id_token"])
        #expect(response.json["token_type"] == .string("Bearer"))
        #expect("\(response)" == "TokenResponse ‹secret›")
    }

    @Test("A token that hangs on a session lives five minutes, unless its API asks about it, and then the stop is heard there")
    func sessionLife() async throws {
        let fixture = try await ProviderFixture()
        let online: KeyValuePairs<String, String?> = ["scope": "openid read:timesheets"]
        #expect(try await fixture.tokens(online).life == 300)
        #expect(try await fixture.tokens(["audience": nil, "scope": "openid"]).life == 300)
        try await fixture.changeAPI { $0.life = 120 }
        #expect(try await fixture.tokens(online).life == 120)
        try await fixture.changeAPI {
            $0.life = 3_600
            $0.form = .opaque
        }
        let opaque = try await fixture.tokens(online)
        #expect(opaque.life == 3_600)
        fixture.logIn(nil)
        #expect(try await fixture.facts(of: opaque.accessToken) == .inactive)
    }

    @Test("S3-14, S3-16 a subject is for good: what an account was called at its first grant it is called at each later one")
    func subject() async throws {
        let fixture = try await ProviderFixture()
        let first = try await fixture.tokens()
        fixture.memory.change { $0.accounts[Fixture.alice]?.userID = "alice.smith" }
        let second = try await fixture.tokens()
        let third = try await fixture.answer(fixture.refresh(first.refreshToken))
        for response in [first, second, third] { #expect(try fixture.claims(response.accessToken).subject == "alice") }
        // A client that asks for her by what it knows, or by what the backend says now, means the same.
        for name in ["alice", "alice.smith"] {
            #expect(try await fixture.store.read { rows in try rows.account(hinted: name, at: Fixture.server) } == Fixture.alice)
        }
        // Nothing is kept of one who was never granted anything.
        fixture.memory.change { $0.accounts[Fixture.manager]?.userID = "mary.jones" }
        #expect(try await fixture.store.read { rows in try rows.person(of: Fixture.manager, at: Fixture.server)?.subject } == "mary.jones")
    }

    @Test("S3-36, S3-40 the access token is for the API of the audience, says its scopes, and is good for as long as the answer says")
    func accessToken() async throws {
        let fixture = try await ProviderFixture()
        let response = try await fixture.tokens()
        let claims = try fixture.claims(response.accessToken)
        #expect(claims.subject == "alice")
        #expect(claims.clientID == "mobile")
        #expect(claims.audiences == [fixture.timesheets.text, Fixture.issuer])
        #expect(claims.allows("create:timesheets") && !claims.allows("approve:timesheets"))
        #expect(claims.expiresAt == fixture.now + response.life)
        #expect(claims.authentication == AuthenticationClaims(time: fixture.now, acr: "mfa", amr: ["mfa", "pin", "pop"]))
        #expect(try UnverifiedJWS(compact: response.accessToken).header.type == "at+jwt")
    }

    @Test("S3-38, S3-23 the ID token has name, picture and email by scope, and the nonce of the request")
    func idToken() async throws {
        let fixture = try await ProviderFixture()
        let claims = try fixture.idClaims(try await fixture.tokens().idToken)
        #expect(claims["iss"] == .string(Fixture.issuer) && claims["aud"] == .string("mobile") && claims["sub"] == .string("alice"))
        #expect(claims["name"] == .string("Alice") && claims["email"] == .string("alice@example.com"))
        #expect(claims["picture"] == .string("https://pictures.example/alice"))
        #expect(claims["nonce"] == .string("nonce-1"))
        #expect(claims["sid"] == .string(Fixture.session.text))
        let lean = try fixture.idClaims(try await fixture.tokens(["scope": "openid", "nonce": nil]).idToken)
        #expect(lean["name"] == nil && lean["email"] == nil && lean["nonce"] == nil)
    }

    @Test("S3-21 no openid, no ID token")
    func noOpenID() async throws {
        let fixture = try await ProviderFixture()
        #expect(try await fixture.tokens(["scope": "read:timesheets"]).idToken == nil)
    }

    @Test("S3-37 a refresh token only when it was asked for and the API allows it", arguments: [true, false], [true, false])
    func refreshToken(isAsked: Bool, isAllowed: Bool) async throws {
        let fixture = try await ProviderFixture()
        try await fixture.changeAPI { $0.allowsOfflineAccess = isAllowed }
        let response = try await fixture.tokens(["scope": isAsked ? "openid offline_access" : "openid"])
        #expect((response.refreshToken != nil) == (isAsked && isAllowed))
        #expect(response.scopes.contains(.offlineAccess) == (isAsked && isAllowed))
    }

    @Test("A84 a login by an offline code gives a client nothing that outlives it: no offline_access and no refresh token, and the client is told")
    func offlineCode() async throws {
        let fixture = try await ProviderFixture()
        fixture.logIn(Fixture.login(methods: [], binding: nil, isOffline: true))
        let request = try await fixture.request(fixture.authorization(["scope": "openid offline_access read:timesheets"]))
        let given = try await fixture.authorize.give(request, fixture.visit(isConfirmed: true), now: fixture.now)
        let code = try #require(Fixture.parameter("code", of: given.location))
        let response = try await fixture.answer(fixture.exchange(code))
        #expect(response.refreshToken == nil && response.scopes == Fixture.scope("openid read:timesheets"))
        #expect(try await fixture.facts(of: response.accessToken) != .inactive)
        // It hangs on that session.
        fixture.logIn(nil)
        #expect(try await fixture.facts(of: response.accessToken) == .inactive)
    }

    @Test("A code begins no login that its person has ended, also with offline_access; what was given before outlives it", arguments: [false, true])
    func endedLogin(isOffline: Bool) async throws {
        let fixture = try await ProviderFixture()
        let scope: KeyValuePairs<String, String?> = ["scope": "openid read:timesheets" + (isOffline ? " offline_access" : "")]
        let (code, before) = (try await fixture.code(scope), try await fixture.tokens(scope))
        fixture.logIn(nil)
        #expect(try await fixture.refusal(of: fixture.exchange(code)) == .grantOver)
        #expect(try await fixture.refusal(of: fixture.exchange(code)) == .codeSpent)
        // Nothing was given that a thief could have.
        #expect(fixture.memory.audit.isEmpty)
        guard isOffline else { return }
        #expect(try await fixture.refusal(of: fixture.refresh(before.refreshToken)) == nil)
    }

    @Test("Of a code whose account went before it was redeemed no thief is told, whoever asks again; it is refused each time")
    func goneAccount() async throws {
        let fixture = try await ProviderFixture()
        let code = try await fixture.code()
        fixture.memory.change { $0.accounts[Fixture.alice] = nil }
        #expect(try await fixture.refusal(of: fixture.exchange(code)) == .grantOver)
        #expect(try await fixture.refusal(of: fixture.exchange(code)) == .codeSpent)
        #expect(fixture.memory.audit.isEmpty)
    }

    @Test("S3-39 token_type is Bearer, unless a proof was sent and the token is bound to its key")
    func tokenType() async throws {
        let fixture = try await ProviderFixture()
        let bound = try await fixture.tokens(proofs: [try fixture.proof(51)])
        #expect(bound.type == .dpop)
        let thumbprint = try Fixture.phoneKey(51).key.thumbprint
        #expect(try fixture.claims(bound.accessToken, proof: thumbprint).boundKey == thumbprint)
        #expect(try await fixture.tokens().type == .bearer)
    }

    @Test("tok_code_replay_revokes: a code that comes twice ends what the first one gave", arguments: [false, true])
    func replay(rerunning: Bool) async throws {
        let fixture = try await ProviderFixture(rerunning: rerunning)
        let code = try await fixture.code()
        let response = try await fixture.answer(fixture.exchange(code))
        fixture.clock.advance(1)
        #expect(fixture.memory.audit.isEmpty)
        for _ in 0..<3 { #expect(try await fixture.refusal(of: fixture.exchange(code)) == .codeSpent) }
        #expect(TokenRefusal.codeSpent.isAlarm)
        #expect(fixture.memory.audit == [fixture.endedByReuse])
        #expect(try await fixture.refusal(of: fixture.refresh(response.refreshToken)) == .grantOver)
        #expect(try await fixture.facts(of: response.accessToken) == .inactive)
    }

    @Test("Who won and did not hear of it has its tokens, also when somebody showed the code again in between; they are over like any other")
    func secondUseInBetween() async throws {
        let fixture = try await ProviderFixture()
        let call = try fixture.exchange(try await fixture.code())
        let services = fixture.services(interruptedBy: { () async throws in #expect(try await fixture.refusal(of: call) == .codeSpent) })
        let response = try await services.token.answer(call, at: fixture.now)
        #expect(try fixture.claims(response.accessToken).subject == "alice")
        #expect(try await fixture.facts(of: response.accessToken) == .inactive)
        #expect(try await fixture.refusal(of: fixture.refresh(response.refreshToken)) == .grantOver)
    }

    @Test("A code that was burnt by a wrong verifier is refused for that also by the call that looks again")
    func burntInBetween() async throws {
        let fixture = try await ProviderFixture()
        let code = try await fixture.code()
        let wrong = try fixture.exchange(code, ["code_verifier": String(Fixture.verifier.reversed())])
        let right = try fixture.exchange(code)
        let services = fixture.services(interruptedBy: { () async throws in #expect(try await fixture.refusal(of: right) == .codeSpent) })
        await #expect(throws: TokenRefusal.verifierWrong) { try await services.token.answer(wrong, at: fixture.now) }
    }

    @Test("tok_code_expired_60s")
    func expired() async throws {
        let fixture = try await ProviderFixture()
        let (early, late) = (try await fixture.code(), try await fixture.code())
        fixture.clock.advance(60)
        #expect(try await fixture.refusal(of: fixture.exchange(early)) == nil)
        fixture.clock.advance(1)
        #expect(try await fixture.refusal(of: fixture.exchange(late)) == .codeExpired)
    }

    @Test("S3-35 tok_redirect_uri_changed: it equals the one of the request, also when there was none")
    func redirect() async throws {
        let fixture = try await ProviderFixture()
        for changed in ["https://app.example/callback/", "https://app.example/CALLBACK", nil] {
            let call = try fixture.exchange(try await fixture.code(), ["redirect_uri": changed])
            #expect(try await fixture.refusal(of: call) == .redirectChanged)
        }
        let without = try await fixture.code(["redirect_uri": nil])
        #expect(try await fixture.refusal(of: fixture.exchange(without, ["redirect_uri": nil])) == nil)
        let added = try await fixture.code(["redirect_uri": nil])
        #expect(try await fixture.refusal(of: fixture.exchange(added)) == .redirectChanged)
    }

    @Test("S3-33 tok_verifier_missing, tok_verifier_wrong, tok_verifier_short, tok_verifier_long")
    func verifiers() async throws {
        let fixture = try await ProviderFixture()
        let wrong: [(String, TokenRefusal)] = [
            (String(Fixture.verifier.reversed()), .verifierWrong), ("short", .verifier(.tooShort)),
            (String(repeating: "a", count: 129), .verifier(.tooLong)), (Fixture.verifier.replacing("d", with: "+"), .verifier(.badCharacter)),
        ]
        for (verifier, refusal) in wrong {
            let code = try await fixture.code()
            #expect(try await fixture.refusal(of: fixture.exchange(code, ["code_verifier": verifier])) == refusal)
            #expect(refusal.code == .invalidGrant)
            // A guess burns the code, also one that can be no verifier: there is no second one.
            #expect(try await fixture.refusal(of: fixture.exchange(code)) == .codeSpent)
        }
        // Without one nobody has guessed.
        let code = try await fixture.code()
        for missing in [nil, ""] as [String?] {
            #expect(try await fixture.refusal(of: fixture.exchange(code, ["code_verifier": missing])) == .parameterMissing("code_verifier"))
        }
        #expect(try await fixture.refusal(of: fixture.exchange(code)) == nil)
    }

    @Test("tok_code_other_client, tok_client_id_other: the attack of an injected code")
    func otherClient() async throws {
        let fixture = try await ProviderFixture()
        let code = try await fixture.code()
        #expect(try await fixture.refusal(of: fixture.exchange(code, ["client_id": nil], authorization: [Fixture.basic])) == .codeOfAnother)
        // Burnt, and what it could have given with it.
        #expect(try await fixture.refusal(of: fixture.exchange(code)) == .codeSpent)
        #expect(try await fixture.refusal(of: fixture.exchange("unknown")) == .codeUnknown)
    }

    @Test("dpop_code_bound_jkt_mismatch: a code that names a key is redeemed with it")
    func boundCode() async throws {
        let fixture = try await ProviderFixture()
        let key = try Fixture.phoneKey(51).key.thumbprint.text
        #expect(try await fixture.refusal(of: fixture.exchange(try await fixture.code(["dpop_jkt": key]))) == .proof(.missing))
        let other = try fixture.exchange(try await fixture.code(["dpop_jkt": key]), proofs: [try fixture.proof(52)])
        #expect(try await fixture.refusal(of: other) == .proof(.otherKey))
        let good = try fixture.exchange(try await fixture.code(["dpop_jkt": key]), proofs: [try fixture.proof(51)])
        #expect(try await fixture.refusal(of: good) == nil)
    }

    @Test("A code that names a key and comes without its proof, or with another's, is spent: whose it is has the warning, and nobody has tokens")
    func boundCodeIsSpent() async throws {
        let fixture = try await ProviderFixture()
        let key = try Fixture.phoneKey(51).key.thumbprint.text
        for thief in [[], [try fixture.proof(52)]] {
            let code = try await fixture.code(["dpop_jkt": key])
            #expect(try await fixture.refusal(of: fixture.exchange(code, proofs: thief)) != nil)
            #expect(try await fixture.refusal(of: fixture.exchange(code, proofs: [try fixture.proof(51)])) == .codeSpent)
        }
        // What is refused before the code is looked at spends nothing: here a proof for another address.
        let code = try await fixture.code(["dpop_jkt": key])
        let wrong = try fixture.proof(51, address: "https://login.example/oauth/par")
        #expect(try await fixture.refusal(of: fixture.exchange(code, proofs: [wrong])) != .codeSpent)
        #expect(try await fixture.refusal(of: fixture.exchange(code, proofs: [try fixture.proof(51)])) == nil)
    }

    @Test("A client that names another API with its code than with its request gets no token for the first (RFC 8707 §2.2)")
    func otherTarget() async throws {
        let fixture = try await ProviderFixture()
        for name in ["resource", "audience"] {
            let other = try fixture.exchange(try await fixture.code(), [name: "https://other.example"])
            #expect(try await fixture.refusal(of: other) == .targetUnknown)
            let same = try fixture.exchange(try await fixture.code(), [name: fixture.timesheets.text])
            #expect(try await fixture.refusal(of: same) == nil)
        }
        let identity = try fixture.exchange(
            try await fixture.code(["audience": nil, "scope": "openid"]), ["resource": fixture.timesheets.text])
        #expect(try await fixture.refusal(of: identity) == .targetUnknown)
    }

    @Test("A code is worth nothing once its person is logged out or blocked")
    func over() async throws {
        let fixture = try await ProviderFixture()
        let code = try await fixture.code(["scope": "openid"])
        fixture.memory.change { $0.sessions = [:] }
        #expect(try await fixture.refusal(of: fixture.exchange(code)) == .grantOver)
    }

    @Test("An opaque token is for APIs that want it, and is known by its hash only")
    func opaque() async throws {
        let fixture = try await ProviderFixture()
        try await fixture.changeAPI { $0.form = .opaque }
        let token = try await fixture.tokens().accessToken
        #expect(token.utf8.count == 43 && !token.contains("."))
        guard case .accessToken(let claims) = try await fixture.facts(of: token) else {
            Issue.record("an opaque token is not known")
            return
        }
        #expect(claims.subject == "alice" && claims.allows("read:timesheets"))
    }
}
