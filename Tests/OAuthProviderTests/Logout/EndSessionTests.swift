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

    @Test("A browser is logged out at once where nobody is logged in, or by a token of a login that it has; in every other case the person is asked")
    func atOnce() {
        let (one, two, other) = (
            Fixture.session, Fixture.identifier(22, SessionKind.self), Fixture.identifier(23, SessionKind.self)
        )
        func wish(_ session: SessionID?, asksFirst: Bool = false) -> EndSession { EndSession(session: session, asksFirst: asksFirst, location: nil) }
        let table: [(wish: EndSession?, sessions: [SessionID], isDone: Bool)] = [
            (nil, [], true), (wish(one), [], true), (wish(nil, asksFirst: true), [], true),
            (wish(one), [one], true), (wish(one), [two, one], true), (wish(one), [one, two], true),
            (wish(other), [one, two], false), (nil, [one], false), (wish(nil, asksFirst: true), [one], false),
            (wish(one, asksFirst: true), [one], false), (wish(nil), [one], false),
        ]
        for (wish, sessions, isDone) in table {
            #expect(EndSession.isDoneAtOnce(wish, among: sessions) == isDone, "\(String(describing: wish)) \(sessions)")
        }
    }

    @Test("Who asks for what a client may not have can log out nevertheless, and is sent nowhere; a token that is none of ours is an error")
    func wishes() async throws {
        let fixture = try await ProviderFixture()
        let hint = try #require(try await fixture.webIDToken())
        func wish(_ parameters: KeyValuePairs<String, String>?) async throws -> EndSession? {
            try await fixture.services.endSession.wish(parameters?.map { Parameter($0, $1) }, at: Fixture.server)
        }
        let good = EndSession(session: Fixture.session, asksFirst: false, location: Self.bye)
        #expect(try await wish(["id_token_hint": hint, "post_logout_redirect_uri": Self.bye]) == good)
        #expect(try await wish(["id_token_hint": hint, "post_logout_redirect_uri": "https://evil.example/"]) == nil)
        #expect(try await wish(["id_token_hint": hint, "client_id": "mobile"]) == nil)
        #expect(try await wish(["state": "a", "state": "b"]) == nil)
        #expect(try await wish(nil) == nil)
        await #expect(throws: EndSessionRefusal.hintWrong) { try await wish(["id_token_hint": "x"]) }
    }
}
