import OAuthProvider
import OstiaryProtocol
import OstiaryTokens
import Testing

@Suite("Claims that an operator adds to the access tokens of an API")
struct AddedClaimsTests {
    private typealias Fixture = ProviderFixture

    private static let names = ["name", "picture", "email", "verified", "account", "roles", "permissions"]

    private static func name(_ word: String) -> String { "https://api.example.com/\(word)" }

    /// The reference's company, whose API wants to know all that there is.
    private func fixture(_ form: ProtectedAPI.TokenForm = .jwt) async throws -> ProviderFixture {
        let fixture = try await ProviderFixture()
        let claims = try Dictionary(
            uniqueKeysWithValues: zip(Self.names, ClaimSource.allCases).map { (try #require(ClaimName(Self.name($0))), $1) })
        try await fixture.changeAPI {
            $0.form = form
            $0.addedClaims = claims
        }
        return fixture
    }

    @Test("S3-15 the token says the address, and all else that the operator wanted, beside what it says anyway")
    func everything() async throws {
        let fixture = try await fixture()
        let response = try await fixture.tokens(["scope": "read:timesheets"])
        let claims = try fixture.claims(response.accessToken)
        #expect(claims.subject == "alice" && claims.scope == "read:timesheets")
        let custom = claims.custom
        #expect(custom.names.sorted() == Self.names.map(Self.name).sorted())
        #expect(custom[Self.name("name")] == .string("Alice") && custom[Self.name("picture")] == .string("https://pictures.example/alice"))
        #expect(custom[Self.name("email")] == .string("alice@example.com") && custom[Self.name("verified")] == .bool(true))
        #expect(custom[Self.name("account")] == .string(Fixture.alice.text) && custom[Self.name("roles")] == .strings(["Employee"]))
        // What the person may do, and not only what was asked for.
        #expect(custom[Self.name("permissions")] == .strings(["create:timesheets", "delete:timesheets", "read:timesheets"]))
        guard case .accessToken(let told) = try await fixture.facts(of: response.accessToken) else {
            Issue.record("a good token is not known")
            return
        }
        #expect(told == claims)
        #expect(TokenFacts.accessToken(told).json[Self.name("email")] == .string("alice@example.com"))
    }

    @Test("S3-15 of an opaque token the API hears what is true when it asks; a JWT says what was when it was made, and the next one what is")
    func freshness() async throws {
        for form in ProtectedAPI.TokenForm.allCases {
            let fixture = try await fixture(form)
            let first = try await fixture.tokens()
            try await fixture.setRoles(["Employee", "Manager"], of: "alice")
            let known = try await fixture.facts(of: first.accessToken).json[Self.name("roles")]
            #expect(known == .strings(form == .jwt ? ["Employee"] : ["Employee", "Manager"]))
            let second = try await fixture.answer(fixture.refresh(first.refreshToken))
            #expect(try await fixture.facts(of: second.accessToken).json[Self.name("roles")] == .strings(["Employee", "Manager"]))
        }
    }

    @Test("Whoever holds the token can read it: a client that people are asked about sees of their profile what its scopes stand for")
    func thirdParty() async throws {
        for form in ProtectedAPI.TokenForm.allCases {
            let fixture = try await fixture(form)
            let bare = try await fixture.facts(of: try await fixture.webTokens("openid read:timesheets").accessToken).json
            #expect(bare["active"] == .bool(true) && bare[Self.name("roles")] == .strings(["Employee"]))
            #expect(["name", "picture", "email", "verified"].allSatisfy { bare[Self.name($0)] == nil })
            let more = try await fixture.facts(of: try await fixture.webTokens("openid email read:timesheets").accessToken).json
            #expect(more[Self.name("email")] == .string("alice@example.com") && more[Self.name("name")] == nil)
        }
    }

    @Test("A machine's token says nothing of anybody, and neither does one that is for no API; who has no address has no claim of it")
    func nobody() async throws {
        let fixture = try await fixture()
        let machine = try await fixture.answer(fixture.call(["grant_type": "client_credentials"], authorization: [Fixture.batchBasic]))
        #expect(try fixture.claims(machine.accessToken).custom.names.isEmpty)
        let identity = try await fixture.tokens(["audience": nil, "scope": "openid"])
        #expect(try fixture.claims(identity.accessToken, audience: Fixture.issuer).custom.names.isEmpty)
        try await fixture.memory.write { rows in try rows.save(ProviderUser(server: Fixture.server, userID: "alice", roles: ["Employee"])) }
        let custom = try fixture.claims(try await fixture.tokens(["scope": "read:timesheets"]).accessToken).custom
        #expect(custom[Self.name("email")] == nil && custom[Self.name("verified")] == nil && custom[Self.name("roles")] != nil)
    }

    @Test("No claim of a standard has a name that an operator may choose: a name is an absolute URI")
    func names() {
        for name in [
            "sub", "iss", "scope", "email", "roles", "", ":", "https:", "https://a b", "https://é.example", ":x",
            "urn:" + String(repeating: "a", count: 252),
        ] {
            #expect(ClaimName(name) == nil, "\(name)")
        }
        for name in ["https://api.example.com/email", "urn:a", "https://example.com/claims#email"] { #expect(ClaimName(name)?.text == name) }
    }
}
