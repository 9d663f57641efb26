import Authentication
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Provider's store: clients that registered themselves", .againWithLostCommits)
struct RegistrationStoreTests {
    typealias Backend = ProviderStoreBackend
    private static let other = ServerID(Sample.bytes(2, 16))!
    private static let day: UInt64 = 86_400

    @Test("A policy, bare and with everything, is its server's", arguments: Backend.allCases)
    func policies(on backend: Backend) async throws {
        try await backend.run { fixture in
            var full = RegistrationPolicy(server: Sample.server)
            (full.mode, full.most, full.unusedDays) = (.token, 7, 9)
            full.apis = [Sample.api: Sample.scopes("read write"), APIIdentifier("urn:other")!: []]
            for policy in [full, RegistrationPolicy(server: Sample.server), full] {
                try await fixture.write { rows in try rows.save(policy) }
                #expect(try await fixture.read { rows in try rows.registrationPolicy(of: Sample.server) } == policy)
            }
            #expect(try await fixture.read { rows in try rows.registrationPolicy(of: Self.other) } == nil)
        }
    }

    @Test("Tokens are counted while they can be used, and found by their hash at their server", arguments: Backend.allCases)
    func tokens(on backend: Backend) async throws {
        try await backend.run { fixture in
            let token = InitialAccessToken(hash: Sample.bytes(1), server: Sample.server, expiresAt: Sample.now + 5, usesLeft: 2)
            let used = InitialAccessToken(hash: Sample.bytes(2), server: Sample.server, expiresAt: Sample.now + 5, usesLeft: 0)
            let others = InitialAccessToken(hash: Sample.bytes(1), server: Self.other, expiresAt: Sample.now + 9, usesLeft: 1)
            try await fixture.write { rows in for each in [token, used, others] { try rows.save(each) } }
            #expect(try await fixture.read { rows in try rows.initialToken(hash: token.hash, of: Sample.server) } == token)
            #expect(try await fixture.read { rows in try rows.initialToken(hash: used.hash, of: Self.other) } == nil)
            #expect(try await fixture.read { rows in try rows.initialTokenCount(of: Sample.server, at: Sample.now + 4) } == 1)
            #expect(try await fixture.read { rows in try rows.initialTokenCount(of: Sample.server, at: Sample.now + 5) } == 0)
            try await fixture.write { rows in try rows.removeInitialTokens(of: Sample.server) }
            #expect(try await fixture.read { rows in try rows.initialToken(hash: token.hash, of: Sample.server) } == nil)
            #expect(try await fixture.read { rows in try rows.initialToken(hash: token.hash, of: Self.other) } == others)
        }
    }

    @Test("Who registered is known until an operator takes them over, or away", arguments: Backend.allCases)
    func registered(on backend: Backend) async throws {
        try await backend.run { fixture in
            let second = try #require(ClientID("shop-2"))
            func isRegistered(_ client: ClientID) async throws -> Bool {
                try await fixture.read { rows in try rows.isRegistered(client, of: Sample.server) }
            }
            try await fixture.write { rows in
                try rows.save(Sample.application())
                for client in [Sample.client, Sample.client, second] { try rows.noteRegistered(client, of: Sample.server, at: Sample.now) }
            }
            #expect(try await fixture.read { rows in try rows.registeredCount(of: Sample.server) } == 2)
            #expect(try await fixture.read { rows in try rows.registeredCount(of: Self.other) } == 0)
            try await fixture.write { rows in try rows.adopt(second, of: Sample.server) }
            #expect(try await !isRegistered(second))
            #expect(try await isRegistered(Sample.client))
            try await fixture.write { rows in try rows.removeApplication(Sample.client, of: Sample.server) }
            #expect(try await !isRegistered(Sample.client))
        }
    }

    @Test("One that nobody uses goes after its days, with a line in the trail, and one of an operator never", arguments: Backend.databases)
    func unused(on backend: Backend) async throws {
        try await backend.run { fixture in
            let operators = Application(
                id: try #require(ClientID("shop-2")), server: Sample.server, kind: .native, name: "Shop", authentication: .none)
            try await fixture.write { rows in
                var policy = RegistrationPolicy(server: Sample.server)
                policy.unusedDays = 2
                try rows.save(policy)
                for application in [Sample.application(), operators] { try rows.save(application) }
                try rows.noteRegistered(Sample.client, of: Sample.server, at: Sample.now)
            }
            func has(_ client: ClientID) async throws -> Bool {
                try await fixture.read { rows in try rows.application(client, of: Sample.server) } != nil
            }
            try await fixture.removeExpired(at: Sample.now + 2 * Self.day)
            #expect(try await has(Sample.client))
            try await fixture.removeExpired(at: Sample.now + 2 * Self.day + 1)
            #expect(try await !has(Sample.client))
            #expect(try await has(operators.id))
            guard case .database(let store) = fixture.people else { return }
            let entries = try await store.read { rows in try rows.auditEntries(of: Sample.server, limit: 9) }
            #expect(entries.map { "\($0.kind) \($0.actor.word ?? "")" } == ["applicationRemoved server"])
        }
    }

    @Test("A grant is a use: the days count from when it was there last, also when it is gone by then", arguments: Backend.databases)
    func used(on backend: Backend) async throws {
        try await backend.run { fixture in
            try await fixture.enrol(1, userID: "alice")
            try await fixture.logIn(3, as: 1)
            let grant = Sample.grant(5, on: 3, of: 1, offline: true)
            try await fixture.write { rows in
                var policy = RegistrationPolicy(server: Sample.server)
                policy.unusedDays = 2
                try rows.save(policy)
                try rows.save(Sample.application())
                try rows.save(Sample.protectedAPI())
                try rows.noteRegistered(Sample.client, of: Sample.server, at: Sample.now)
                try rows.save(grant)
            }
            func isThere() async throws -> Bool {
                try await fixture.read { rows in try rows.application(Sample.client, of: Sample.server) } != nil
            }
            try await fixture.removeExpired(at: Sample.now + 9 * Self.day)
            #expect(try await isThere())
            try await fixture.write { rows in try rows.revoke(grant.id, at: Sample.now + 9 * Self.day) }
            try await fixture.removeExpired(at: Sample.now + 11 * Self.day)
            #expect(try await isThere())
            try await fixture.removeExpired(at: Sample.now + 11 * Self.day + 1)
            #expect(try await !isThere())
        }
    }

    @Test("A clock that ran ahead gives no client more than its days", arguments: Backend.databases)
    func clock(on backend: Backend) async throws {
        try await backend.run { fixture in
            try await fixture.write { rows in
                try rows.save(Sample.application())
                try rows.noteRegistered(Sample.client, of: Sample.server, at: Sample.now + 900 * Self.day)
            }
            try await (fixture.store as? any MomentKeeper)?.bringBack(from: Sample.now + 120, to: Sample.now)
            try await fixture.removeExpired(at: Sample.now + 31 * Self.day)
            #expect(try await fixture.read { rows in try rows.application(Sample.client, of: Sample.server) } == nil)
        }
    }
}
