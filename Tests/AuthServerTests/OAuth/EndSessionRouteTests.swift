import Authentication
import HTTPTypes
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("RP-initiated logout")
struct EndSessionRouteTests {
    /// An ID token of Alice's session, for the website.
    private static func hint(_ fixture: OAuthFixture, client: String = "web-1", key: UInt8 = 31, session: UInt8 = 3) throws -> String {
        let claims = OstiaryTokens.JSONObject([
            "iss": .string(OAuthFixture.origin), "sub": .string("alice"), "aud": .string(client), "iat": .integer(Int64(fixture.now.seconds)),
            "exp": .integer(Int64(fixture.now.seconds) - 5), "sid": .string(Sample.sessionID(session).text),
        ])
        return try LocalSigner(.es256, stored: Sample.bytes(key)).sign(claims, as: .idToken)
    }

    private static func isLoggedIn(_ fixture: OAuthFixture) async throws -> Bool {
        try await fixture.people.read { rows in try rows.login(of: Sample.sessionID(3), at: Sample.server, now: fixture.now) } != nil
    }

    @Test("Whoever comes with an ID token, though it is over, is logged out of its session and sent back with the state", arguments: [true, false])
    func ends(byForm: Bool) async throws {
        try await OAuthFixture().run { client in
            let form: OAuthClient.Form = [
                "id_token_hint": try Self.hint(client.fixture), "post_logout_redirect_uri": "https://reports.example/bye", "state": "a b&c",
            ]
            let answer =
                byForm
                ? try await client.post("/logout", form) : try await client.send(.get, "/logout?\(OAuthClient.encoded(form))")
            #expect(answer.status == 303 && answer.headers[.location] == "https://reports.example/bye?state=a%20b%26c")
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(try await !Self.isLoggedIn(client.fixture))
            // Once more is as good as once.
            #expect(try await client.send(.get, "/logout?\(OAuthClient.encoded(form))").status == 303)
        }
    }

    @Test("Without an address the person stays here, and is told")
    func stays() async throws {
        try await OAuthFixture().run { client in
            let answer = try await client.send(.get, "/logout?\(OAuthClient.encoded(["id_token_hint": try Self.hint(client.fixture)]))")
            #expect(answer.status == 200 && answer.headers[.location] == nil)
            #expect(try await !Self.isLoggedIn(client.fixture))
        }
    }

    @Test("logout_bad_post_redirect, _query_added, _hint_foreign_signature, _no_hint_confirms: nobody is logged out, and no browser is sent anywhere")
    func refusals() async throws {
        try await OAuthFixture().run { client in
            let fixture = client.fixture
            let hint = try Self.hint(fixture)
            for form in [
                ["id_token_hint": hint, "post_logout_redirect_uri": "https://evil.example/"],
                ["id_token_hint": hint, "post_logout_redirect_uri": "https://reports.example/bye?a=b"],
                ["id_token_hint": try Self.hint(fixture, key: 99)], ["id_token_hint": "a.b.c"], ["id_token_hint": hint, "client_id": "shop-1"],
                ["id_token_hint": hint, "id_token_hint": hint], [:],
                ["client_id": "web-1", "post_logout_redirect_uri": "https://reports.example/bye"],
            ] as [OAuthClient.Form] {
                let answer = try await client.send(.get, "/logout?\(OAuthClient.encoded(form))")
                #expect(answer.status == 400 && answer.headers[.location] == nil, "\(form)")
                #expect(try await Self.isLoggedIn(fixture), "\(form)")
            }
        }
    }
}
