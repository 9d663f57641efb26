import HTTPTypes
import OAuthProvider
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("A refresh token after something has happened", .timeLimit(.minutes(10)))
struct RefreshRouteTests {
    /// What came with a code, refresh token and all.
    private func tokens(_ client: OAuthClient) async throws -> (access: String, refresh: String) {
        let given = try await client.exchange(try await client.fixture.code(offline: true).text).json
        let (access, refresh) = (given["access_token"]?.string, given["refresh_token"]?.string)
        return (try #require(access), try #require(refresh))
    }

    @Test(
        "rt_after_user_disabled, rt_after_device_removed: blocked or deleted, an account has no token any more and nothing for one",
        arguments: [true, false])
    func accountOver(isBlocked: Bool) async throws {
        try await OAuthFixture().run { client in
            let given = try await tokens(client)
            #expect(try await client.send(.get, "/userinfo", authorization: ["Bearer \(given.access)"]).status == 200)
            if isBlocked {
                try await client.fixture.people.enrol(1, userID: "alice", isBlocked: true)
            } else {
                try await client.fixture.people.delete(1)
            }
            #expect(try await client.refresh(given.refresh).isError("invalid_grant"))
            #expect(try await client.send(.get, "/userinfo", authorization: ["Bearer \(given.access)"]).status == 401)
            let told = try await client.post("/oauth/introspect", ["token": given.access], authorization: [OAuthClient.webBasic])
            #expect(told.json["active"] == .bool(false))
        }
    }

    @Test(
        "rt_db_crash_between_read_and_write: whose answer was lost at the commit, kept or not, has the one successor, and is not logged out",
        arguments: LosingDatabase.Loss.allCases)
    func lostCommit(_ loss: LosingDatabase.Loss) async throws {
        let database = misbehavingDatabase(over: try await SchemaTemplate.authentication.database())
        try await OAuthFixture(over: database).run { client in
            let first = try await tokens(client).refresh
            database.lose(.all(loss))
            let lost = try await client.refresh(first)
            #expect(lost.status == 503 && lost.json["refresh_token"] == nil, "\(lost.status) \(lost.json)")
            #expect(database.losses > 0)
            #expect(lost.error == "storage_unavailable" && lost.json["error_description"]?.string?.isEmpty == false)
            database.lose(.none)
            let again = try await client.refresh(first).json["refresh_token"]?.string
            #expect(again != nil && again != first)
            #expect(try await client.refresh(first).json["refresh_token"]?.string == again)
            #expect(try await client.refresh(again).status == 200)
        }
    }

    @Test("rt_scope_can_shrink_and_stays_for_next: less for one access token, and the refresh token keeps what it has (RFC 6749 §6)")
    func scopes() async throws {
        try await OAuthFixture().run { client in
            let first = try await tokens(client).refresh
            let form: OAuthClient.Form = ["grant_type": "refresh_token", "client_id": "shop-1", "refresh_token": first, "scope": "read"]
            let less = try await client.post("/oauth/token", form)
            #expect(less.status == 200 && less.json["scope"] == .string("read"))
            let next = try await client.refresh(less.json["refresh_token"]?.string)
            #expect(next.json["scope"] == .string("openid read offline_access"))
        }
    }
}
