import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@Suite("refresh_token, RFC 6749 §6")
struct RefreshGrantTests {
    private typealias Fixture = ProviderFixture

    @Test("S3-47, S3-48, S3-49 rt_refresh_1s_after_issue_ok: a refresh token gives a new access token, at once too", arguments: [false, true])
    func reference(rerunning: Bool) async throws {
        let fixture = try await ProviderFixture(rerunning: rerunning)
        let first = try await fixture.tokens()
        fixture.clock.advance(1)
        let second = try await fixture.answer(fixture.refresh(first.refreshToken))
        #expect(second.accessToken != first.accessToken)
        #expect(second.scopes == first.scopes)
        #expect(try fixture.claims(second.accessToken).subject == "alice")
    }

    @Test("rt_retry_returns_same_successor, over the whole endpoint", arguments: [false, true])
    func retry(rerunning: Bool) async throws {
        let fixture = try await ProviderFixture(rerunning: rerunning)
        let first = try await fixture.tokens()
        let lost = try await fixture.answer(fixture.refresh(first.refreshToken))
        fixture.clock.advance(30)
        let again = try await fixture.answer(fixture.refresh(first.refreshToken))
        #expect(again.refreshToken == lost.refreshToken && again.refreshToken != first.refreshToken)
        #expect(try await fixture.refusal(of: fixture.refresh(again.refreshToken)) == nil)
    }

    @Test("rt_old_after_successor_used_revokes_family: all that the grant gave is over, and an operator hears of it", arguments: [false, true])
    func reuse(rerunning: Bool) async throws {
        let fixture = try await ProviderFixture(rerunning: rerunning)
        let first = try await fixture.tokens()
        let second = try await fixture.answer(fixture.refresh(first.refreshToken))
        let third = try await fixture.answer(fixture.refresh(second.refreshToken))
        #expect(try await fixture.refusal(of: fixture.refresh(first.refreshToken)) == .refreshReused)
        #expect(TokenRefusal.refreshReused.isAlarm)
        #expect(try await fixture.refusal(of: fixture.refresh(third.refreshToken)) == .grantOver)
        // Once: whoever goes on with what is over ends nothing.
        #expect(try await fixture.refusal(of: fixture.refresh(first.refreshToken)) == .grantOver)
        #expect(fixture.memory.audit == [fixture.endedByReuse])
        #expect(try await fixture.facts(of: third.accessToken) == .inactive)
    }

    /// The row of a family as a backup has it: nothing was ever renewed.
    private func putBack(_ grant: GrantID, in fixture: ProviderFixture) async throws {
        try await fixture.memory.write { rows in
            let family = try #require(try rows.family(of: grant))
            try rows.save(
                RefreshFamily(
                    grant: grant, server: family.server, client: family.client, binding: family.binding, life: family.life,
                    createdAt: family.createdAt))
        }
    }

    @Test("After a backup was put back the newest token goes on, its answer may get lost, and an older one is a theft", arguments: [false, true])
    func afterRestore(rerunning: Bool) async throws {
        let fixture = try await ProviderFixture(rerunning: rerunning)
        let first = try await fixture.tokens().refreshToken
        var newest = first
        for _ in 0..<3 { newest = try await fixture.answer(fixture.refresh(newest)).refreshToken }
        let text = try #require(newest)
        try await putBack(try #require(fixture.keyring.tokenKeys.derivation.refreshToken(text)).grant, in: fixture)
        let next = try await fixture.answer(fixture.refresh(newest)).refreshToken
        #expect(next != newest && next != first)
        #expect(try await fixture.answer(fixture.refresh(newest)).refreshToken == next)
        let last = try await fixture.answer(fixture.refresh(next)).refreshToken
        #expect(try await fixture.refusal(of: fixture.refresh(first)) == .refreshReused)
        #expect(try await fixture.refusal(of: fixture.refresh(last)) == .grantOver)
    }

    @Test("The attack of a made-up later token: only one that this server's secret made for this very grant moves a family, and only for its client")
    func laterForged() async throws {
        let fixture = try await ProviderFixture()
        let token = try #require(try await fixture.tokens().refreshToken)
        let derivation = fixture.keyring.tokenKeys.derivation
        let grant = try #require(derivation.refreshToken(token)).grant
        let later = derivation.refreshToken(of: grant, generation: 7)
        let bytes = try #require(Base64URL.decode(later.text))
        let otherSecret = TokenDerivation(secret: [UInt8](repeating: 77, count: 32)).refreshToken(of: grant, generation: 7).text
        let firstTag = Base64URL.encode(Array(bytes.prefix(20)) + (try #require(Base64URL.decode(token))).suffix(32))
        let otherGrant = derivation.refreshToken(of: Fixture.identifier(5, GrantKind.self), generation: 7).text
        let tagOfOther = Base64URL.encode(Array(bytes.prefix(20)) + (try #require(Base64URL.decode(otherGrant))).suffix(32))
        for wrong in [otherSecret, firstTag, otherGrant, tagOfOther] {
            #expect(try await fixture.refusal(of: fixture.refresh(wrong)) == .refreshUnknown)
        }
        let byAnother = try fixture.call(["grant_type": "refresh_token", "refresh_token": later.text], authorization: [Fixture.basic])
        #expect(try await fixture.refusal(of: byAnother) == .refreshOfAnother)
        // None of it moved the family: the first token is still its newest.
        let family = try await fixture.memory.read { rows in try rows.family(of: grant) }
        #expect(family?.generation == 0)
        #expect(try await fixture.refusal(of: fixture.refresh(token)) == nil)
    }

    @Test("A token that is never renewed has no later one, whatever was put back")
    func laterBound() async throws {
        let fixture = try await ProviderFixture()
        let token = try #require(try await fixture.tokens(proofs: [try fixture.proof(51)]).refreshToken)
        let derivation = fixture.keyring.tokenKeys.derivation
        let later = derivation.refreshToken(of: try #require(derivation.refreshToken(token)).grant, generation: 1).text
        #expect(try await fixture.refusal(of: fixture.refresh(later, proofs: [try fixture.proof(51)])) == .refreshUnknown)
    }

    @Test("rt_other_client, rt_without_client_auth")
    func otherClient() async throws {
        let fixture = try await ProviderFixture()
        let token = try await fixture.tokens().refreshToken
        let other = try fixture.call(["grant_type": "refresh_token", "refresh_token": token], authorization: [Fixture.basic])
        #expect(try await fixture.refusal(of: other) == .refreshOfAnother)
        #expect(try await fixture.refusal(of: fixture.refresh(token, client: "web")) == .client(.methodWrong))
        #expect(try await fixture.refusal(of: fixture.call(["grant_type": "refresh_token", "refresh_token": token])) == .client(.missing))
        // None of it moved the family.
        #expect(try await fixture.refusal(of: fixture.refresh(token)) == nil)
    }

    @Test("A text that is no refresh token, none, and one of another server")
    func unknown() async throws {
        let fixture = try await ProviderFixture()
        #expect(try await fixture.refusal(of: fixture.refresh("x")) == .refreshUnknown)
        #expect(try await fixture.refusal(of: fixture.refresh(nil)) == .parameterMissing("refresh_token"))
        let forged = TokenDerivation(secret: [UInt8](repeating: 77, count: 32)).refreshToken(of: Fixture.identifier(5, GrantKind.self), generation: 0)
        #expect(try await fixture.refusal(of: fixture.refresh(forged.text)) == .refreshUnknown)
    }

    @Test("rt_scope_cannot_grow, rt_scope_can_shrink: less for one access token, and the next has all again")
    func scopes() async throws {
        let fixture = try await ProviderFixture()
        let token = try await fixture.tokens(["scope": "openid read:timesheets create:timesheets offline_access"]).refreshToken
        #expect(try await fixture.refusal(of: fixture.refresh(token, scope: "openid profile")) == .scopeNotGranted)
        #expect(try await fixture.refusal(of: fixture.refresh(token, scope: "openid  profile")) == .scope(.badGrammar))
        let less = try await fixture.answer(fixture.refresh(token, scope: "read:timesheets"))
        #expect(less.scopes.text == "read:timesheets" && less.idToken == nil)
        #expect(try fixture.claims(less.accessToken).scope == "read:timesheets")
        // RFC 6749 §6: the refresh token has the scope of the one that it replaced.
        let all = try await fixture.answer(fixture.refresh(less.refreshToken))
        #expect(all.scopes.text == "openid read:timesheets create:timesheets offline_access")
    }

    @Test("A permission that a person lost is gone with the next access token")
    func lostPermission() async throws {
        let fixture = try await ProviderFixture()
        let token = try await fixture.tokens().refreshToken
        try await fixture.setRoles([], of: "alice")
        let response = try await fixture.answer(fixture.refresh(token))
        #expect(!response.scopes.contains(try #require(Scope("read:timesheets"))))
        #expect(response.scopes.contains(.openID))
    }

    @Test("A refresh that names another API is refused and moves nothing")
    func otherTarget() async throws {
        let fixture = try await ProviderFixture()
        let token = try await fixture.tokens().refreshToken
        func refusal(_ target: String) async throws -> TokenRefusal? {
            try await fixture.refusal(
                of: fixture.call(["grant_type": "refresh_token", "client_id": "mobile", "refresh_token": token, "resource": target]))
        }
        for _ in 0..<3 { #expect(try await refusal("https://other.example") == .targetUnknown) }
        #expect(try await refusal(fixture.timesheets.text) == nil)
    }

    @Test("An API that an operator took from a client is the audience of no further token, though who somebody is may still be told")
    func lostAPI() async throws {
        let fixture = try await ProviderFixture()
        let token = try await fixture.tokens().refreshToken
        let code = try await fixture.code()
        try await fixture.change("mobile") { $0.apis = [:] }
        #expect(try await fixture.refusal(of: fixture.refresh(token)) == .targetUnknown)
        #expect(try await fixture.refusal(of: fixture.exchange(code)) == .targetUnknown)
    }

    @Test("rt_without_dpop_proof, rt_wrong_key: a stolen token without the phone's key is nothing")
    func bound() async throws {
        let fixture = try await ProviderFixture()
        let token = try await fixture.tokens(proofs: [try fixture.proof(51)]).refreshToken
        #expect(try await fixture.refusal(of: fixture.refresh(token)) == .proof(.missing))
        #expect(try await fixture.refusal(of: fixture.refresh(token, proofs: [try fixture.proof(52)])) == .proof(.otherKey))
        for _ in 0..<3 {
            fixture.clock.advance(10_000_000)
            let response = try await fixture.answer(fixture.refresh(token, proofs: [try fixture.proof(51)]))
            #expect(response.refreshToken == token && response.type == .dpop)
        }
    }

    @Test("A client with a secret may change its key: its refresh tokens are bound to the secret (RFC 9449 §5) and stay what they are")
    func confidential() async throws {
        let fixture = try await ProviderFixture()
        let first = try await fixture.webTokens("openid offline_access", proofs: [try fixture.proof(51)])
        let call = try fixture.call(
            ["grant_type": "refresh_token", "refresh_token": first.refreshToken], authorization: [Fixture.basic], proofs: [try fixture.proof(52)])
        let thumbprint = try Fixture.phoneKey(52).key.thumbprint
        let second = try await fixture.answer(call)
        #expect(try fixture.claims(second.accessToken, proof: thumbprint).boundKey == thumbprint)
        #expect(second.refreshToken == first.refreshToken)
    }

    @Test("rt_lost_response_retry_after_30s_ok of a website: however often and late it repeats a token, it is the same, and nobody is logged out")
    func websiteRepeats() async throws {
        let fixture = try await ProviderFixture()
        let token = try await fixture.webTokens("openid offline_access").refreshToken
        for seconds in [UInt64(0), 30, 601, 10_000_000] {
            fixture.clock.advance(seconds)
            let call = try fixture.call(["grant_type": "refresh_token", "refresh_token": token], authorization: [Fixture.basic])
            #expect(try await fixture.answer(call).refreshToken == token)
        }
    }

    @Test("What was never renewed because its client showed a secret is nothing once the client has none")
    func secretTakenAway() async throws {
        let fixture = try await ProviderFixture()
        let token = try await fixture.webTokens("openid offline_access").refreshToken
        let id = try fixture.client("web")
        try await fixture.memory.write { rows in
            let former = try #require(try rows.application(id, of: Fixture.server))
            var application = Application(id: id, server: Fixture.server, kind: .web, name: former.name, authentication: .none)
            application.redirectURIs = former.redirectURIs
            application.apis = former.apis
            try rows.save(application)
        }
        #expect(try await fixture.refusal(of: fixture.refresh(token, client: "web")) == .refreshOfAnother)
    }

    @Test("S3-37 an API that no longer allows offline access ends what was given for it: refresh, and access tokens where they are asked about")
    func offlineSwitchedOff() async throws {
        let fixture = try await ProviderFixture()
        let first = try await fixture.tokens()
        let code = try await fixture.code()
        let identity = try await fixture.tokens(["audience": nil, "scope": "openid offline_access"]).refreshToken
        try await fixture.changeAPI { $0.allowsOfflineAccess = false }
        #expect(try await fixture.refusal(of: fixture.refresh(first.refreshToken)) == .grantOver)
        #expect(try await fixture.facts(of: first.accessToken) == .inactive)
        #expect(try await fixture.refusal(of: fixture.exchange(code)) == .grantOver)
        // What is for no API is no business of its switch.
        #expect(try await fixture.refusal(of: fixture.refresh(identity)) == nil)
        // One that is asked for now hangs on its session, like any other.
        let online = try await fixture.tokens()
        #expect(online.refreshToken == nil && !online.scopes.contains(.offlineAccess))
        #expect(online.life == 300)
    }

    @Test("S3-45 rt_after_user_disabled: a refresh token outlives the session, and a block of the account ends it for good, also when it is lifted")
    func holders() async throws {
        let fixture = try await ProviderFixture()
        let token = try await fixture.tokens().refreshToken
        fixture.memory.change { $0.sessions = [:] }
        fixture.clock.advance(100_000_000)
        let response = try await fixture.answer(fixture.refresh(token))
        fixture.memory.block(Fixture.alice, at: fixture.now)
        #expect(try await fixture.refusal(of: fixture.refresh(response.refreshToken)) == .grantOver)
        fixture.memory.unblock(Fixture.alice)
        #expect(try await fixture.refusal(of: fixture.refresh(response.refreshToken)) == .grantOver)
        #expect(try await fixture.facts(of: response.accessToken) == .inactive)
        // Who logs in after it has new ones.
        fixture.logIn(Fixture.login())
        let anew = try await fixture.tokens().refreshToken
        #expect(try await fixture.refusal(of: fixture.refresh(anew)) == nil)
    }

    @Test("rt_id_token_same_iss_sub_auth_time: a refresh tells of the same login")
    func idToken() async throws {
        let fixture = try await ProviderFixture()
        let first = try await fixture.tokens()
        fixture.clock.advance(5_000)
        let (before, after) = (
            try fixture.idClaims(first.idToken), try fixture.idClaims(try await fixture.answer(fixture.refresh(first.refreshToken)).idToken)
        )
        for name in ["iss", "sub", "aud", "auth_time", "acr", "amr", "sid"] { #expect(before[name] == after[name]) }
        #expect(after["iat"] == .integer(Int64(fixture.now.seconds)))
        // OpenID Connect Core §12.2: the nonce belongs to the request, which is answered.
        #expect(before["nonce"] == .string("nonce-1") && after["nonce"] == nil)
    }

    @Test("rt_absolute_and_idle_expiry, as the application has it")
    func expiry() async throws {
        let fixture = try await ProviderFixture()
        try await fixture.change("mobile") { $0.refreshLife = RefreshLife(absolute: 2_500, idle: 1_000) }
        let paused = try await fixture.tokens().refreshToken
        var used = try await fixture.tokens().refreshToken
        fixture.clock.advance(1_000)
        used = try await fixture.answer(fixture.refresh(used)).refreshToken
        fixture.clock.advance(1)
        #expect(try await fixture.refusal(of: fixture.refresh(paused)) == .refreshExpired)
        fixture.clock.advance(999)
        used = try await fixture.answer(fixture.refresh(used)).refreshToken
        fixture.clock.advance(500)
        used = try await fixture.answer(fixture.refresh(used)).refreshToken
        fixture.clock.advance(1)
        #expect(try await fixture.refusal(of: fixture.refresh(used)) == .refreshExpired)
    }
}
