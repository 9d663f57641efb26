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

    @Test("A typed code is three statements and a commit, right or wrong, seven with network and proxy; while its place is locked one, and no commit")
    func typed() async throws {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        try await database.migrate(AuthenticationSchema.migrations)
        let store = SQLOAuthStore(database: database, key: .random())
        let hash = try #require(UserCode(typed: "BBBB-BBBB")).hash
        try await store.write { rows in
            try rows.save(
                PolledAuthorization(
                    hash: Sample.bytes(1), server: Sample.server, client: Sample.client, way: .device(userCodeHash: hash), scopes: [],
                    api: nil, createdAt: ProviderAtWork.moment, life: 600))
        }
        let people = SQLAuthenticationStore(database: database, key: .random())
        let services = try ProviderAtWork(ProviderStoreFixture(store: store, people: .database(people))).services
        let (near, far) = (CallPlace("192.0.2.1"), CallPlace("2001:db8::/64", in: "2001:db8::/56", through: "10.0.0.1"))
        func type(_ code: String, from place: CallPlace) async throws -> CountingDatabase.Count {
            _ = database.take()
            _ = try? await services.devices.waiting(forTyped: code, from: place, at: Sample.server, now: ProviderAtWork.moment)
            return database.take()
        }
        for code in ["BBBB-BBBB", "CCCC-CCCC"] {
            for (place, statements) in [(near, 3), (far, 7)] {
                let count = try await type(code, from: place)
                #expect(count.reads == 0 && count.commits == 1 && count.statements.count == statements, "\(count)")
            }
        }
        for _ in 0..<4 { _ = try await type("CCCC-CCCC", from: near) }
        for code in ["BBBB-BBBB", "CCCC-CCCC"] {
            let count = try await type(code, from: near)
            #expect(count.commits == 0 && count.statements.count == 1, "\(count)")
        }
        // What can be no code is looked at for the lock alone.
        let none = try await type("no code", from: far)
        #expect(none.reads == 1 && none.commits == 0 && none.statements.count == 3, "\(none)")
    }
}
