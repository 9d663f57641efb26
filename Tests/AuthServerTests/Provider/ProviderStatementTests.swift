import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("What a call at the token endpoint asks of its database")
struct ProviderStatementTests {
    /// What a call runs, of an application that is public and an API that asks for no roles.
    private func asked(
        by parameters: [Parameter], given body: @Sendable @escaping (any OAuthRows) throws -> Void
    ) async throws -> CountingDatabase.Count {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        try await database.migrate(AuthenticationSchema.migrations)
        let key = KeyEncryptionKey.random()
        let people = SQLAuthenticationStore(database: database, key: key)
        let fixture = ProviderStoreFixture(store: SQLOAuthStore(database: database, key: key), people: .database(people))
        try await fixture.enrol(1, userID: "alice")
        try await fixture.logIn(3, as: 1)
        try await fixture.write { rows in
            try rows.save(Sample.application())
            try rows.save(Sample.protectedAPI())
            try body(rows)
        }
        let provider = try ProviderAtWork(fixture)
        _ = database.take()
        _ = try await provider.answer(parameters)
        return database.take()
    }

    @Test("A refresh is six statements and one commit: the client twice, family, what stands, API, and the family anew")
    func refresh() async throws {
        let grant = Sample.grant(5, on: 3, of: 1, offline: true)
        let token = TokenDerivation(secret: ProviderAtWork.secret).refreshToken(of: grant.id, generation: 0)
        let count = try await asked(by: [Parameter("grant_type", "refresh_token"), Parameter("refresh_token", token.text)]) { rows in
            try rows.save(grant)
            try rows.save(
                RefreshFamily(
                    grant: grant.id, server: grant.server, client: grant.client, binding: .none, life: .unlimited, createdAt: Sample.now))
        }
        #expect(count.reads == 1 && count.commits == 1)
        #expect(count.statements.count == 6, "\(count.statements)")
    }

    @Test("The exchange of a code is six statements and one commit")
    func code() async throws {
        let grant = Sample.grant(5, on: 3, of: 1)
        let code = try Sample.code(1, for: grant)
        let parameters = [
            Parameter("grant_type", "authorization_code"), Parameter("code", "code-1"), Parameter("code_verifier", Sample.verifier),
        ]
        let count = try await asked(by: parameters) { rows in
            try rows.save(grant)
            try rows.save(code)
        }
        #expect(count.reads == 1 && count.commits == 1)
        #expect(count.statements.count == 6, "\(count.statements)")
    }
}
