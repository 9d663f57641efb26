import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("Claims that an operator adds to access tokens, over HTTP")
struct AddedClaimsRouteTests {
    private static let email = "https://api.example/email"
    private static let may = "https://api.example/may"

    /// Alice has an address and a role, and the API wants to know both.
    private func fill(_ fixture: OAuthFixture, _ form: ProtectedAPI.TokenForm = .jwt) async throws {
        let names = [try #require(ClaimName(Self.email)): ClaimSource.email, try #require(ClaimName(Self.may)): .permissions]
        try await fixture.people.write { rows in
            var api = Sample.protectedAPI()
            (api.form, api.addedClaims) = (form, names)
            try rows.save(api)
            try rows.save(Role(server: Sample.server, name: "Clerk", permissions: [Sample.api: Sample.scopes("read")]))
            let profile = ProfileClaims(name: "Alice", email: "alice@example.com", isEmailVerified: true)
            try rows.save(ProviderUser(server: Sample.server, userID: "alice", profile: profile, roles: ["Clerk"]))
        }
    }

    @Test("S3-15 an API has the address from the access token, and the same from introspection", arguments: ProtectedAPI.TokenForm.allCases)
    func address(form: ProtectedAPI.TokenForm) async throws {
        let fixture = try await OAuthFixture()
        try await fill(fixture, form)
        try await fixture.change { $0.isFirstParty = true }
        try await fixture.run { client in
            let token = try await client.accessToken()
            if form == .jwt {
                let keys = try await fixture.keyring.keys(of: Sample.server).published
                let claims = try AccessTokenClaims(try UnverifiedJWS(compact: token).verified(by: keys, as: .accessToken).claims)
                #expect(claims.custom[Self.email] == .string("alice@example.com") && claims.custom[Self.may] == .strings(["read"]))
            }
            let told = try await client.post("/oauth/introspect", ["token": token], authorization: [OAuthClient.webBasic])
            #expect(told.json["active"] == .bool(true) && told.json["sub"] == .string("alice"))
            #expect(told.json[Self.email] == .string("alice@example.com") && told.json[Self.may] == .strings(["read"]))
        }
    }

    @Test("What a token says is decided before its code is spent: where that fails the code is good for another try")
    func fault() async throws {
        let database = try await misbehavingDatabase()
        let fixture = try await OAuthFixture(over: database)
        try await fill(fixture)
        @Sendable func say(_ permissions: String) async throws {
            try await database.transaction { connection in
                try connection.execute("UPDATE oauth_role SET permissions = $1", [.text(permissions)])
            }
        }
        try await fixture.run { client in
            let code = try await fixture.code().text
            // Nothing of ours writes that: the row can't be read.
            try await say("nothing")
            #expect(try await client.exchange(code).status == 500)
            try await say("\(Sample.api.text) read")
            #expect(try await client.exchange(code).status == 200)
        }
    }
}
