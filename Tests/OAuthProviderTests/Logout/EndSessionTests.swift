import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@Suite("RP-initiated logout")
struct EndSessionTests {
    private typealias Fixture = ProviderFixture

    /// What a request comes to, with the client that it names.
    private func check(
        _ fixture: ProviderFixture, _ parameters: KeyValuePairs<String, String?>, _ keys: TokenKeys? = nil
    ) async throws -> EndSession {
        let all = Parameters(parameters.compactMap { name, value in value.map { Parameter(name, $0) } })
        let keys = keys ?? fixture.keyring.tokenKeys
        let application = try await fixture.store.read { rows in
            try EndSession.client(of: all, keys: keys).flatMap { try rows.application($0, of: Fixture.server) }
        }
        return try EndSession.check(all, keys: keys, application: application)
    }

    private static let bye = "https://reports.example/bye"

    @Test("A client sends its person's browser to log out, and has it back where it registered, with its state")
    func good() async throws {
        let fixture = try await ProviderFixture()
        let hint = try await fixture.webIDToken()
        #expect(
            try await check(fixture, ["id_token_hint": hint, "post_logout_redirect_uri": Self.bye, "state": "a b"])
                == EndSession(session: Fixture.session, asksFirst: false, location: "\(Self.bye)?state=a%20b"))
        #expect(
            try await check(fixture, ["id_token_hint": hint, "post_logout_redirect_uri": Self.bye])
                == EndSession(session: Fixture.session, asksFirst: false, location: Self.bye))
        fixture.clock.advance(1_000_000)
        #expect(try await check(fixture, ["id_token_hint": hint]).session == Fixture.session)
    }

    @Test("logout_no_hint_confirms, no-params, only-state, no-post-logout-redirect-uri: the person is asked, and stays on a page of ours")
    func noHint() async throws {
        let fixture = try await ProviderFixture()
        for parameters: KeyValuePairs<String, String?> in [[:], ["state": "x"], ["client_id": "web"]] {
            #expect(try await check(fixture, parameters) == EndSession(session: nil, asksFirst: true, location: nil))
        }
        #expect(
            try await check(fixture, ["client_id": "web", "post_logout_redirect_uri": Self.bye])
                == EndSession(session: nil, asksFirst: true, location: Self.bye))
    }

    @Test("logout_bad_post_redirect, logout_query_added: the attack of an open redirect")
    func redirects() async throws {
        let fixture = try await ProviderFixture()
        let hint = try await fixture.webIDToken()
        for target in ["https://evil.example/", "\(Self.bye)?x=y", "\(Self.bye)/", "https://reports.example/BYE", "https://app.example/callback"] {
            await #expect(throws: EndSessionRefusal.redirectNotRegistered) {
                try await check(fixture, ["id_token_hint": hint, "post_logout_redirect_uri": target])
            }
        }
        await #expect(throws: EndSessionRefusal.redirectNotRegistered) { try await check(fixture, ["post_logout_redirect_uri": Self.bye]) }
        await #expect(throws: EndSessionRefusal.redirectNotRegistered) {
            try await check(fixture, ["client_id": "mobile", "post_logout_redirect_uri": Self.bye])
        }
    }

    @Test("logout_hint_alg_none, logout_hint_foreign_signature, bad-id-token-hint, modified-id-token-hint")
    func hints() async throws {
        let fixture = try await ProviderFixture()
        let hint = try #require(try await fixture.webIDToken())
        let parts = hint.split(separator: ".")
        let none = Base64URL.encode(Array(#"{"typ":"JWT","alg":"none"}"#.utf8))
        let claims = try fixture.idClaims(hint)
        let stranger = try LocalSigner(.es256, stored: [UInt8](repeating: 90, count: 32))
        var elsewhere = claims
        elsewhere["iss"] = .string("https://login.elsewhere.example")
        let foreign = try stranger.sign(elsewhere, as: .idToken)
        let header = JSONObject([
            "typ": .string("JWT"), "alg": .string("ES256"), "kid": fixture.keyring.tokenKeys.published.keys.first?.json["kid"],
        ])
        let underOurKey = try stranger.sign(claims, header: header)
        let modified = "\(parts[0]).\(Base64URL.encode(Array("{}".utf8))).\(parts[2])"
        let accessToken = try await fixture.tokens().accessToken
        for wrong in ["\(none).\(parts[1]).", foreign, underOurKey, modified, "x", accessToken] {
            await #expect(throws: EndSessionRefusal.hintWrong) { try await check(fixture, ["id_token_hint": wrong]) }
        }
        await #expect(throws: EndSessionRefusal.clientDiffers) { try await check(fixture, ["id_token_hint": hint, "client_id": "mobile"]) }
        await #expect(throws: EndSessionRefusal.parameterRepeated("state")) { try await check(fixture, ["state": "a", "state": "b"]) }
    }

    @Test("After the keys were replaced an ID token of before says nothing: the person is asked, and only client_id shows where the browser may go")
    func keyGone() async throws {
        let fixture = try await ProviderFixture()
        let hint = try #require(try await fixture.webIDToken())
        let since = try FixtureTokenKeyring(key: 35).tokenKeys
        let asked = EndSession(session: nil, asksFirst: true, location: nil)
        #expect(try await check(fixture, ["id_token_hint": hint], since) == asked)
        #expect(
            try await check(fixture, ["id_token_hint": hint, "client_id": "web", "post_logout_redirect_uri": Self.bye], since)
                == EndSession(session: nil, asksFirst: true, location: Self.bye))
        // Who is named by what nobody can verify is nobody, and its client_id is not compared with it.
        await #expect(throws: EndSessionRefusal.redirectNotRegistered) {
            try await check(fixture, ["id_token_hint": hint, "post_logout_redirect_uri": Self.bye], since)
        }
        #expect(try await check(fixture, ["id_token_hint": hint, "client_id": "mobile"], since) == asked)
        // Anybody can make one like it, by a key of their own that is named as their own.
        let forged = try LocalSigner(.es256, stored: [UInt8](repeating: 90, count: 32)).sign(try fixture.idClaims(hint), as: .idToken)
        #expect(try await check(fixture, ["id_token_hint": forged]) == asked)
        await #expect(throws: EndSessionRefusal.hintWrong) {
            try await check(fixture, ["id_token_hint": try await fixture.tokens().accessToken], since)
        }
    }
}
