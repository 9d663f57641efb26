import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("Provider's store: what one person gave", .againWithLostCommits)
struct ProviderGivenTests {
    typealias Backend = ProviderStoreBackend

    /// Alice, logged in by session 3, with a grant on the session and one with offline access, at a client that listens.
    private func run(
        on backend: Backend, _ body: @Sendable (ProviderStoreFixture, _ online: Grant, _ offline: Grant) async throws -> Void
    ) async throws {
        try await backend.run { fixture in
            try await fixture.enrol(1, userID: "alice")
            try await fixture.logIn(3, as: 1)
            let (online, offline) = (Sample.grant(5, on: 3, of: 1), Sample.grant(6, on: 3, of: 1, offline: true))
            try await fixture.write { rows in
                var application = Sample.application()
                application.backchannelLogoutURI = "https://shop.example/logout"
                try rows.save(application)
                try rows.save(Sample.protectedAPI())
                for grant in [online, offline] {
                    try rows.keepSubject(of: grant.holder.account, at: grant.server)
                    try rows.save(grant)
                }
            }
            try await body(fixture, online, offline)
        }
    }

    private func listed(_ selection: GivenSelection, _ fixture: ProviderStoreFixture) async throws -> [GrantID] {
        try await fixture.read { rows in try rows.grants(selection, at: Sample.server, .all, now: Sample.now).elements.map(\.grant.id) }
    }

    private func family(of grant: Grant, usedAt: Instant) -> RefreshFamily {
        RefreshFamily(
            grant: grant.id, server: grant.server, client: grant.client, binding: .none, life: .unlimited, createdAt: Sample.now, usedAt: usedAt)
    }

    @Test("What one person agreed to is found by their accounts, however much others agreed to; what a client was let do, by its index")
    func consentPlans() async throws {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        try await database.migrate(AuthenticationSchema.migrations)
        let store = SQLOAuthStore(database: database, key: KeyEncryptionKey.random())
        let (byUser, byAccount) = ("SEARCH a USING INDEX account_user (server=? AND user_id=?)", "SEARCH c USING PRIMARY KEY (account=?)")
        let ways: [(selection: GivenSelection, steps: [String])] = [
            (.byUser("alice", to: nil), [byUser, byAccount]), (.byUser("alice", to: Sample.client), [byUser, byAccount]),
            (.byAccount(Sample.accountID(1), to: nil), [byAccount]), (.toClient(Sample.client), ["oauth_consent_client (server=? AND client=?)"]),
        ]
        for (selection, steps) in ways {
            _ = database.take()
            _ = try await store.read { rows in try rows.consents(selection, at: Sample.server, .all) }
            _ = try await store.write { rows in try rows.removeConsents(selection, at: Sample.server) }
            let statements = database.take().statements.filter { $0.contains("oauth_consent") }
            // The list, its total, and what is removed.
            #expect(statements.count == 3)
            for statement in statements {
                let plan = try await database.plan(of: statement)
                for step in steps { #expect(plan.contains { $0.contains(step) }, "\(plan)") }
                #expect(!plan.contains { $0.hasPrefix("SCAN ") || $0.hasSuffix("oauth_consent_client (server=?)") }, "\(plan)")
            }
        }
    }

    @Test("Listed is what may be good, and nobody else's; with its session a grant goes from the list", arguments: Backend.allCases)
    func lists(on backend: Backend) async throws {
        try await run(on: backend) { fixture, online, offline in
            try await fixture.enrol(2, userID: "bob")
            let (others, taken) = (Sample.grant(7, on: 3, of: 2, offline: true), Sample.grant(8, on: 3, of: 1, offline: true))
            try await fixture.write { rows in
                for grant in [others, taken] { try rows.save(grant) }
                try rows.revoke(taken.id, at: Sample.now)
                try rows.save(family(of: offline, usedAt: Sample.now + 5))
            }
            let alice = Sample.accountID(1)
            #expect(try await listed(.byUser("alice", to: nil), fixture) == [online.id, offline.id])
            #expect(try await listed(.byAccount(alice, to: Sample.client), fixture) == [online.id, offline.id])
            #expect(try await listed(.byAccount(alice, to: ClientID("other")!), fixture).isEmpty)
            #expect(try await listed(.toClient(Sample.client), fixture) == [online.id, offline.id, others.id])
            let part = try await fixture.read { rows in
                try rows.grants(.byUser("alice", to: nil), at: Sample.server, ListPart(after: 1, limit: 1), now: Sample.now)
            }
            #expect(part.total == 2 && part.elements == [GivenGrant(grant: offline, userID: "alice", usedAt: Sample.now + 5)])
            try await fixture.end(3, of: 1)
            #expect(try await listed(.byUser("alice", to: nil), fixture) == [offline.id])
        }
    }

    @Test("What an operator ended is told at once; what is left of the session is told at its end", arguments: Backend.allCases)
    func told(on backend: Backend) async throws {
        try await run(on: backend) { fixture, online, offline in
            func due() async throws -> [LogoutNotice] { try await fixture.dueLogouts() }
            #expect(try await due().isEmpty)
            // Taken back by the client, who knows.
            let other = Sample.grant(7, on: 3, of: 1, offline: true)
            try await fixture.write { rows in
                try rows.save(other)
                try rows.revoke(other.id, at: Sample.now)
            }
            #expect(try await due().isEmpty)
            let accounts = try await fixture.store.write { rows, former -> [AccountID] in
                let ended = try rows.endGrant(offline.id, at: Sample.server, now: Sample.now)
                return ended.isEmpty ? former ?? [] : ended
            }
            #expect(accounts == [Sample.accountID(1)])
            #expect(try await !fixture.stands(offline))
            #expect(try await fixture.stands(online))
            let notice = try #require(try await due().first)
            #expect(try await due().count == 1 && !notice.isOver && notice.session == Sample.sessionID(3))
            try await fixture.write { rows in try rows.settle(notice) }
            #expect(try await due().isEmpty)
            try await fixture.end(3, of: 1)
            let last = try #require(try await due().first)
            #expect(last.isOver)
            try await fixture.write { rows in try rows.settle(last) }
            #expect(try await due().isEmpty)
        }
    }

    @Test(
        "Beyond what a client may have the least lately used goes, of that account and client only, never the one that it just got",
        arguments: Backend.allCases)
    func overflow(on backend: Backend) async throws {
        try await run(on: backend) { fixture, online, offline in
            try await fixture.enrol(2, userID: "bob")
            let grants = (10..<14).map { Sample.grant(UInt8($0), on: 3, of: 1, offline: true) }
            let others = [
                Sample.grant(20, on: 3, of: 2, offline: true), Sample.grant(21, on: 3, of: 1, offline: true, client: ClientID("other")!),
            ]
            try await fixture.write { rows in
                for grant in grants + others { try rows.save(grant) }
                // By their use, not by their age: the second is the oldest. The newest has a clock that is behind.
                for (grant, use) in zip(grants, [UInt64(30), 10, 20, 0]) { try rows.save(family(of: grant, usedAt: Sample.now + use)) }
                for grant in others { try rows.save(family(of: grant, usedAt: Sample.now)) }
            }
            let count = try await fixture.store.write { rows, former -> Int in
                let count = try rows.endOverflow(beside: grants[3], keeping: 2, at: Sample.now)
                return count > 0 ? count : former ?? 0
            }
            #expect(count == 1)
            for grant in [grants[0], grants[2], grants[3], online, offline] + others { #expect(try await fixture.stands(grant), "\(grant.id)") }
            #expect(try await !fixture.stands(grants[1]))
        }
    }

    @Test("On a session the oldest for the same API is forgotten, and what was taken back is not", arguments: Backend.allCases)
    func sessionOverflow(on backend: Backend) async throws {
        try await run(on: backend) { fixture, online, offline in
            let (identity, taken, newest) = (Sample.grant(7, on: 3, of: 1, api: nil), Sample.grant(8, on: 3, of: 1), Sample.grant(9, on: 3, of: 1))
            try await fixture.write { rows in
                for grant in [identity, taken, newest] { try rows.save(grant) }
                try rows.revoke(taken.id, at: Sample.now)
            }
            try await fixture.write { rows in try rows.removeOverflow(beside: newest, keeping: 0) }
            #expect(try await fixture.read { rows in try rows.grant(online.id) } == nil)
            #expect(try await fixture.read { rows in try rows.grant(taken.id)?.revokedAt } == Sample.now)
            for grant in [identity, newest, offline] { #expect(try await fixture.stands(grant)) }
        }
    }

    @Test("Of what began and was used in one second the one with the greatest id goes, in whatever order they came", arguments: Backend.allCases)
    func ties(on backend: Backend) async throws {
        for offline in [false, true] {
            try await backend.run { fixture in
                try await fixture.enrol(1, userID: "alice")
                try await fixture.logIn(3, as: 1)
                let newest = Sample.grant(0x90, on: 3, of: 1, offline: offline)
                let others = [UInt8(0x20), 0xF0, 0x10, 0x80].map { Sample.grant($0, on: 3, of: 1, offline: offline) }
                try await fixture.write { rows in
                    try rows.save(Sample.application())
                    try rows.save(Sample.protectedAPI())
                    for grant in others + [newest] {
                        try rows.save(grant)
                        if offline { try rows.save(family(of: grant, usedAt: Sample.now)) }
                    }
                }
                for kept in [3, 2, 1] {
                    try await fixture.write { rows in
                        if offline { _ = try rows.endOverflow(beside: newest, keeping: kept, at: Sample.now) }
                        if !offline { try rows.removeOverflow(beside: newest, keeping: kept) }
                    }
                    let left = try await fixture.read { rows in
                        try rows.grants(.toClient(Sample.client), at: Sample.server, .all, now: Sample.now).elements.map(\.grant.id.bytes[0])
                    }
                    #expect(left == Array([UInt8(0x10), 0x20, 0x80].prefix(kept)) + [0x90])
                }
            }
        }
    }

    @Test("Consents are listed and forgotten, of one client or all", arguments: Backend.allCases)
    func consents(on backend: Backend) async throws {
        try await run(on: backend) { fixture, _, _ in
            let (alice, other) = (Sample.accountID(1), ClientID("other")!)
            let given = [
                Consent(account: alice, client: other, api: nil, scopes: Sample.scopes("openid")),
                Consent(account: alice, client: Sample.client, api: Sample.api, scopes: Sample.scopes("read")),
            ]
            try await fixture.write { rows in for consent in given { try rows.save(consent, of: Sample.server) } }
            func left(_ selection: GivenSelection) async throws -> Listed<GivenConsent> {
                try await fixture.read { rows in try rows.consents(selection, at: Sample.server, .all) }
            }
            #expect(try await left(.byUser("alice", to: nil)).elements == given.map { GivenConsent(consent: $0, userID: "alice") })
            #expect(try await left(.byUser("bob", to: nil)).total == 0)
            try await fixture.write { rows in _ = try rows.removeConsents(.byAccount(alice, to: other), at: Sample.server) }
            #expect(try await left(.toClient(other)).total == 0)
            #expect(try await left(.byAccount(alice, to: nil)).elements.map(\.consent) == [given[1]])
        }
    }
}

@Suite("A block ends what clients were let do")
struct BlockedGrantTests {
    @Test("Decision 0030: what came with offline access is over for good, also when the block is lifted; another account's goes on")
    func block() async throws {
        let fixture = try await AuthorizeFixture()
        let (alice, bob) = (try await fixture.addAccount(), try await fixture.addAccount("bob"))
        let server = fixture.server
        let grants = [(UInt8(5), alice), (6, bob)].map { byte, account in
            Grant(
                id: Sample.grantID(byte), server: server, client: ClientID("shop")!, holder: .device(account.id),
                scopes: Sample.scopes("openid offline_access"), api: nil,
                authentication: AuthenticationClaims(time: Sample.now, acr: "mfa", amr: ["mfa"]), nonce: nil, session: Sample.sessionID(byte),
                createdAt: fixture.clock.now)
        }
        try await fixture.oauthStore.write { rows in for grant in grants { try rows.save(grant) } }
        func standing(_ index: Int) async throws -> Bool {
            let (id, now) = (grants[index].id, fixture.clock.now)
            return try await fixture.oauthStore.read { rows in try rows.standing(id, at: now) != nil }
        }
        #expect(try await standing(0))
        for isBlocked in [true, false] {
            _ = try await fixture.domain.accounts.setBlocked(isBlocked, alice.id, at: server, by: .operator, now: fixture.clock.now)
            #expect(try await !standing(0))
            #expect(try await standing(1))
        }
    }
}
