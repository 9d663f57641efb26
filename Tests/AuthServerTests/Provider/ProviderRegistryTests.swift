import Authentication
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("Provider's store: what an operator lists and takes away", .againWithLostCommits)
struct ProviderRegistryTests {
    typealias Backend = ProviderStoreBackend
    private static let other = ServerID(Sample.bytes(2, 16))!

    @Test("Lists are of one server, by name, in parts, with the length of the whole", arguments: Backend.allCases)
    func lists(on backend: Backend) async throws {
        try await backend.run { fixture in
            let names = ["b", "a", "B", "é", "c"]
            try await fixture.write { rows in
                for name in names {
                    try rows.save(Role(server: Sample.server, name: name, permissions: [Sample.api: Sample.scopes("read")]))
                    try rows.save(ProviderUser(server: Sample.server, userID: name, roles: [name, "x y"]))
                }
                try rows.save(Role(server: Self.other, name: "elsewhere", permissions: [:]))
                try rows.save(Sample.application())
                try rows.save(Sample.protectedAPI())
            }
            let roles = try await fixture.read { rows in try rows.roles(of: Sample.server, .all) }
            #expect(roles.elements.map(\.name) == ["B", "a", "b", "c", "é"] && roles.total == 5)
            #expect(roles.elements.allSatisfy { $0.permissions == [Sample.api: Sample.scopes("read")] && $0.server == Sample.server })
            let part = try await fixture.read { rows in try rows.users(of: Sample.server, ListPart(after: 1, limit: 2)) }
            #expect(part.elements.map(\.userID) == ["a", "b"] && part.total == 5)
            let having = try await fixture.read { rows in try rows.users(of: Sample.server, having: "x") }
            #expect(having.isEmpty)
            #expect(try await fixture.read { rows in try rows.users(of: Sample.server, having: "a").map(\.userID) } == ["a"])
            #expect(try await fixture.read { rows in try rows.users(of: Sample.server, having: "x y").count } == 5)
            #expect(try await fixture.read { rows in try rows.applications(of: Sample.server, .all).elements } == [Sample.application()])
            #expect(try await fixture.read { rows in try rows.apis(of: Sample.server, .all).elements } == [Sample.protectedAPI()])
            #expect(try await fixture.read { rows in try rows.apis(of: Self.other, .all).total } == 0)
        }
    }

    @Test("With an application goes all that was given to it, and nothing of another's", arguments: Backend.allCases)
    func removesApplication(on backend: Backend) async throws {
        try await backend.run { fixture in
            let neighbour = ClientID("shop-2")!
            try await fixture.enrol(1, userID: "alice")
            try await fixture.logIn(3, as: 1)
            let (own, others) = (Sample.grant(5, on: 3, of: 1), Sample.grant(6, on: 3, of: 1, client: neighbour))
            let code = try Sample.code(1, for: own)
            let polled = Sample.polled(1, .device(userCodeHash: Sample.bytes(6)))
            try await fixture.write { rows in
                try rows.save(Sample.application())
                for grant in [own, others] {
                    try rows.save(grant)
                    try rows.save(
                        RefreshFamily(
                            grant: grant.id, server: Sample.server, client: grant.client, binding: .none, life: .unlimited, createdAt: Sample.now,
                            generation: 1, renewedAt: Sample.now, usedAt: Sample.now))
                    let consent = Consent(account: Sample.accountID(1), client: grant.client, api: Sample.api, scopes: Sample.scopes("read"))
                    try rows.save(consent, of: Sample.server)
                }
                try rows.save(code)
                try rows.save(polled)
            }
            try await fixture.write { rows in try rows.removeApplication(Sample.client, of: Sample.server) }
            #expect(try await fixture.read { rows in try rows.application(Sample.client, of: Sample.server) } == nil)
            #expect(try await !fixture.stands(own))
            #expect(try await fixture.stands(others))
            #expect(try await fixture.read { rows in try rows.grant(own.id) } == nil)
            #expect(try await fixture.read { rows in try rows.family(of: own.id) } == nil)
            #expect(try await fixture.read { rows in try rows.family(of: others.id) } != nil)
            #expect(try await fixture.read { rows in try rows.code(hash: code.hash, of: Sample.server) } == nil)
            #expect(try await fixture.read { rows in try rows.polled(hash: polled.hash, of: Sample.server) } == nil)
            func consent(_ client: ClientID) async throws -> Consent? {
                try await fixture.read { rows in try rows.consent(of: Sample.accountID(1), to: client, for: Sample.api, server: Sample.server) }
            }
            #expect(try await consent(Sample.client) == nil)
            #expect(try await consent(neighbour) != nil)
        }
    }

    @Test("What was given to an application goes so much at a time, and nothing of another's or of another server's", arguments: Backend.allCases)
    func removesInParts(on backend: Backend) async throws {
        try await backend.run { fixture in
            let neighbour = ClientID("shop-2")!
            for account in UInt8(1)...5 { try await fixture.enrol(account, userID: "user \(account)") }
            try await fixture.logIn(3, as: 1)
            let (own, others) = ((1...5).map { Sample.grant($0, on: 3, of: $0, offline: true) }, Sample.grant(9, on: 3, of: 1, client: neighbour))
            try await fixture.write { rows in
                for grant in own + [others] {
                    try rows.save(grant)
                    try rows.keepSubject(of: grant.holder.account, at: Sample.server)
                    let consent = Consent(account: grant.holder.account, client: grant.client, api: Sample.api, scopes: Sample.scopes("read"))
                    try rows.save(consent, of: Sample.server)
                }
            }
            func left(_ client: ClientID) async throws -> [Int] {
                try await fixture.read { rows in
                    [
                        try rows.grants(.toClient(client), at: Sample.server, .all, now: Sample.now).total,
                        try rows.consents(.toClient(client), at: Sample.server, .all).total,
                    ]
                }
            }
            func remove(at server: ServerID = Sample.server) async throws -> Int {
                try await fixture.store.write { rows, former in try max(former ?? 0, rows.removeGiven(to: Sample.client, of: server, limit: 2)) }
            }
            #expect(try await remove(at: Self.other) == 0)
            var removed: [Int] = []
            while try await left(Sample.client) != [0, 0], removed.count < 9 { removed.append(try await remove()) }
            #expect(removed.allSatisfy { $0 <= 2 } && removed.count >= 2)
            #expect(try await left(neighbour) == [1, 1])
        }
    }

    @Test("With an API its grants are over at once; they stay until their session ends, of which clients are to hear", arguments: Backend.allCases)
    func removesAPI(on backend: Backend) async throws {
        try await backend.run { fixture in
            try await fixture.enrol(1, userID: "alice")
            try await fixture.logIn(3, as: 1)
            let (own, others) = (Sample.grant(5, on: 3, of: 1), Sample.grant(6, on: 3, of: 1, api: nil))
            try await fixture.write { rows in
                try rows.save(Sample.protectedAPI())
                for grant in [own, others] { try rows.save(grant) }
            }
            #expect(try await fixture.stands(own))
            try await fixture.write { rows in try rows.removeAPI(Sample.api, of: Sample.server, at: Sample.now) }
            #expect(try await fixture.read { rows in try rows.api(Sample.api, of: Sample.server) } == nil)
            #expect(try await !fixture.stands(own))
            #expect(try await fixture.stands(others))
            #expect(try await fixture.read { rows in try rows.grant(own.id)?.revokedAt } == Sample.now)
        }
    }

    @Test("What was taken away and written again in one transaction is there", arguments: Backend.allCases)
    func rewritten(on backend: Backend) async throws {
        try await backend.run { fixture in
            let role = Role(server: Sample.server, name: "A", permissions: [:])
            try await fixture.write { rows in try rows.save(role) }
            try await fixture.write { rows in
                _ = try rows.role("A", of: Sample.server)
                try rows.removeRole("A", of: Sample.server)
                try rows.save(role)
            }
            #expect(try await fixture.read { rows in try rows.role("A", of: Sample.server) } == role)
        }
    }
}
