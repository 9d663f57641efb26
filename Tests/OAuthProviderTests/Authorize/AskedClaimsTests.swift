import OAuthProvider
import OstiaryProtocol
import OstiaryTokens
import Testing

@Suite("Claims of a person that a client asks for by name, OpenID Connect Core §5.5")
struct AskedClaimsTests {
    private typealias Fixture = ProviderFixture

    private static let identity: Set = ["name", "picture", "email", "email_verified"]

    /// What of a person an ID token says, and what userinfo does.
    private func told(_ fixture: ProviderFixture, _ response: TokenResponse) async throws -> (idToken: Set<String>, userInfo: Set<String>) {
        let use = DPoPUse(method: "GET", target: try Fixture.target("https://login.example/userinfo"))
        let token = try PresentedToken(authorization: ["Bearer \(response.accessToken)"], isInQuery: false)
        let info = try await fixture.services.userInfo.claims(for: token, proofs: [], use, at: Fixture.server, now: fixture.now)
        return (Self.identity.intersection(try fixture.idClaims(response.idToken).names), Self.identity.intersection(info.names))
    }

    private func tokens(_ fixture: ProviderFixture, _ claims: String, scope: String) async throws -> TokenResponse {
        try await fixture.tokens(["claims": claims, "scope": scope])
    }

    @Test("claims-essential, test-claims-parameter-identity-claims: each is told where it was asked for, and no other")
    func places() async throws {
        let fixture = try await ProviderFixture()
        let claims = #"{"id_token":{"name":null,"nickname":null},"userinfo":{"email":{"essential":true},"picture":{"value":"x"}},"other":1}"#
        let response = try await tokens(fixture, claims, scope: "openid read:timesheets")
        // What the client has is what it asked by its scopes.
        #expect(response.scopes.text == "openid read:timesheets")
        var (idToken, userInfo) = try await told(fixture, response)
        #expect(idToken == ["name"] && userInfo == ["email", "picture"])
        #expect(try fixture.idClaims(response.idToken)["name"] == .string("Alice"))
        for claim in Self.identity {
            let only = try await tokens(fixture, #"{"id_token":{"\#(claim)":null}}"#, scope: "openid")
            (idToken, userInfo) = try await told(fixture, only)
            #expect(idToken == [claim] && userInfo.isEmpty)
        }
        // Besides what its scopes stand for.
        (idToken, userInfo) = try await told(fixture, try await tokens(fixture, #"{"userinfo":{"name":null}}"#, scope: "openid email"))
        #expect(idToken == ["email", "email_verified"] && userInfo == ["email", "email_verified", "name"])
    }

    @Test("They go on with the grant: a refreshed ID token says them again")
    func refreshed() async throws {
        let fixture = try await ProviderFixture()
        let first = try await tokens(fixture, #"{"id_token":{"name":null}}"#, scope: "openid offline_access")
        let second = try await fixture.answer(fixture.refresh(first.refreshToken))
        #expect(try await told(fixture, second).idToken == ["name"])
    }

    @Test("What nobody knows is left out, essential or not, and without openid nobody is asked for anything")
    func nothing() async throws {
        let fixture = try await ProviderFixture()
        try await fixture.memory.write { rows in try rows.save(ProviderUser(server: Fixture.server, userID: "alice", roles: ["Employee"])) }
        let claims = #"{"id_token":{"email":{"essential":true},"email_verified":null}}"#
        let response = try await tokens(fixture, claims, scope: "openid")
        #expect(try fixture.idClaims(response.idToken)["email_verified"] == nil)
        let bare = try await fixture.request(fixture.authorization(["claims": claims, "scope": "read:timesheets"]))
        #expect(bare.claims == .none && bare.wanted == Fixture.scope("read:timesheets"))
    }

    @Test("A person is asked for them as for the scopes that stand for them, once, and a client that nobody let have them gets none")
    func consent() async throws {
        let fixture = try await ProviderFixture()
        let asked = #"{"userinfo":{"name":null}}"#
        _ = try await fixture.webTokens("openid read:timesheets")
        fixture.logIn(Fixture.login(at: fixture.now))
        let request = try await fixture.request(fixture.webAuthorization(["claims": asked]))
        #expect(request.wanted == Fixture.scope("openid read:timesheets profile"))
        // What was let before is asked no more; the name is.
        #expect(try await fixture.authorize.next(for: request, fixture.visit(), now: fixture.now) == .consent([.profile]))
        let silent = try await fixture.request(fixture.webAuthorization(["claims": asked, "prompt": "none"]))
        #expect(try await fixture.authorize.next(for: silent, fixture.visit(), now: fixture.now) == .refuse(.consentRequired))
        await #expect(throws: AuthorizeStepOpen(step: .consent([.profile]))) {
            try await fixture.authorize.give(request, fixture.visit(consented: Fixture.scope("openid read:timesheets")), now: fixture.now)
        }
        _ = try await fixture.authorize.give(request, fixture.visit(consented: [.profile]), now: fixture.now)
        #expect(try await fixture.authorize.next(for: silent, fixture.visit(), now: fixture.now) == .give(Fixture.scope("openid read:timesheets")))
        // Another one is another question.
        let more = try await fixture.request(fixture.webAuthorization(["claims": #"{"id_token":{"email":null}}"#]))
        #expect(try await fixture.authorize.next(for: more, fixture.visit(), now: fixture.now) == .consent([.email]))
    }

    @Test(
        "A claims request that is none is refused; what is not known in one is ignored",
        arguments: [
            #"{"id_token":{"name":true}}"#, #"{"userinfo":{"email":"alice@example.com"}}"#, #"{"userinfo":{"picture":[]}}"#, #"{"userinfo":[]}"#,
        ])
    func malformed(claims: String) async throws {
        let fixture = try await ProviderFixture()
        #expect(try await fixture.outcome(fixture.authorization(["claims": claims])).refusal == .claimsWrong)
        let unknown = #"{"id_token":{"phone_number":7,"https://claims.example/x":[]}}"#
        #expect(try await fixture.request(fixture.authorization(["claims": unknown])).claims == .none)
    }
}
