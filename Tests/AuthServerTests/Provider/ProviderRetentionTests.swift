import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Provider's store: what is over goes, and not before", .againWithLostCommits)
struct ProviderRetentionTests {
    typealias Backend = ProviderStoreBackend
    private static let day: UInt64 = 86_400

    private func save(_ grant: Grant, in fixture: ProviderStoreFixture) async throws {
        try await fixture.write { rows in
            try rows.keepSubject(of: grant.holder.account, at: grant.server)
            try rows.save(grant)
        }
    }

    private func grant(_ id: GrantID, in fixture: ProviderStoreFixture) async throws -> Grant? {
        try await fixture.read { rows in try rows.grant(id) }
    }

    @Test("A proof is remembered through the last second in which it would be taken", arguments: Backend.databases)
    func spent(on backend: Backend) async throws {
        try await backend.runWithAlice { fixture in
            func spend(by call: UInt8) async throws -> Bool {
                try await fixture.store.write { rows in try rows.spend(Sample.bytes(1), by: Sample.redemption(call), until: Sample.now + 5) }
            }
            #expect(try await spend(by: 1))
            try await fixture.removeExpired(at: Sample.now + 5)
            #expect(try await !spend(by: 2))
            try await fixture.removeExpired(at: Sample.now + 6)
            #expect(try await spend(by: 2))
        }
    }

    @Test("A code that nobody redeemed goes after its minute, and takes back its grant; a spent one is known for a day", arguments: Backend.databases)
    func codes(on backend: Backend) async throws {
        try await backend.runWithAlice { fixture in
            let (kept, lost) = (Sample.grant(5, on: 3, of: 1, offline: true), Sample.grant(6, on: 3, of: 1, offline: true))
            for grant in [kept, lost] { try await save(grant, in: fixture) }
            var spent = try Sample.code(1, for: kept)
            spent.redeemedBy = Sample.redemption(1)
            let (redeemed, unredeemed) = (spent, try Sample.code(2, for: lost))
            try await fixture.write { rows in for code in [redeemed, unredeemed] { try rows.save(code) } }
            func has(_ code: AuthorizationCode) async throws -> Bool {
                try await fixture.read { rows in try rows.code(hash: code.hash, of: Sample.server) } != nil
            }
            let end = unredeemed.expiresAt
            try await fixture.removeExpired(at: end)
            #expect(try await has(unredeemed))
            #expect(try await fixture.stands(lost))
            try await fixture.removeExpired(at: end + 1)
            #expect(try await !has(unredeemed))
            #expect(try await grant(lost.id, in: fixture) == nil)
            try await fixture.removeExpired(at: end + Self.day)
            #expect(try await has(redeemed))
            try await fixture.removeExpired(at: end + Self.day + 1)
            #expect(try await !has(redeemed))
            #expect(try await fixture.stands(kept))
        }
    }

    @Test("What hung on a session goes with it, what hangs on a device stays with its family", arguments: Backend.databases)
    func sessions(on backend: Backend) async throws {
        try await backend.runWithAlice { fixture in
            let (online, offline) = (Sample.grant(5, on: 3, of: 1), Sample.grant(6, on: 3, of: 1, offline: true))
            for grant in [online, offline] { try await save(grant, in: fixture) }
            let family = RefreshFamily(
                grant: offline.id, server: Sample.server, client: Sample.client, binding: .none, life: .unlimited, createdAt: Sample.now)
            try await fixture.write { rows in try rows.save(family) }
            try await fixture.end(3, of: 1)
            try await fixture.removeExpired(at: Sample.now + 1)
            // The session is there, and somebody may ask of it.
            #expect(try await grant(online.id, in: fixture) == online)
            try await fixture.forgetSessions()
            #expect(try await !fixture.stands(online))
            try await fixture.removeExpired(at: Sample.now + 1)
            #expect(try await grant(online.id, in: fixture) == nil)
            #expect(try await fixture.stands(offline))
            #expect(try await fixture.read { rows in try rows.family(of: offline.id) } == family)
            // Taken back by itself it goes, and its family with it.
            try await fixture.write { rows in try rows.revoke(offline.id, at: Sample.now + 2) }
            try await fixture.removeExpired(at: Sample.now + 3)
            #expect(try await grant(offline.id, in: fixture) == nil)
            #expect(try await fixture.read { rows in try rows.family(of: offline.id) } == nil)
        }
    }

    @Test("S3-45 what hangs on a device is over by no age: a refresh token that nobody used for ten years is good", arguments: Backend.databases)
    func forever(on backend: Backend) async throws {
        try await backend.runWithAlice { fixture in
            let offline = Sample.grant(6, on: 3, of: 1, offline: true)
            try await save(offline, in: fixture)
            let family = RefreshFamily(
                grant: offline.id, server: Sample.server, client: Sample.client, binding: .client, life: .unlimited, createdAt: Sample.now)
            try await fixture.write { rows in try rows.save(family) }
            try await fixture.end(3, of: 1)
            try await fixture.forgetSessions()
            let late = Sample.now + 3_650 * Self.day
            try await fixture.removeExpired(at: late)
            #expect(try await fixture.stands(offline, at: late))
            let kept = try #require(try await fixture.read { rows in try rows.family(of: offline.id) })
            guard case .give(0, _) = kept.ruling(on: 0, at: late) else {
                Issue.record("a refresh token without an end is over")
                return
            }
        }
    }

    @Test(
        "A grant whose refresh token is over by its own times goes when no access token of it can be good any more, and the person's consent stays",
        arguments: Backend.databases,
        [RefreshLife(absolute: 60, idle: nil), RefreshLife(absolute: nil, idle: 60), RefreshLife(absolute: 9_000_000, idle: nil)])
    func spentFamilies(on backend: Backend, life: RefreshLife) async throws {
        try await backend.runWithAlice { fixture in
            // More than are looked at in one part, of which the last is over.
            let (others, spent) = ((10..<25).map { Sample.grant($0, on: 3, of: 1, offline: true) }, Sample.grant(30, on: 3, of: 1, offline: true))
            for grant in others + [spent] { try await save(grant, in: fixture) }
            try await fixture.write { rows in
                try rows.save(Consent(account: Sample.accountID(1), client: Sample.client, api: nil, scopes: [.openID]), of: Sample.server)
                for grant in others + [spent] {
                    try rows.save(
                        RefreshFamily(
                            grant: grant.id, server: Sample.server, client: Sample.client, binding: .client,
                            life: grant == spent ? life : .unlimited, createdAt: Sample.now))
                }
            }
            let last = Sample.now + max(life.absolute ?? 0, life.idle ?? 0, ProtectedAPI.longestLife)
            for _ in 0..<4 { try await fixture.removeExpired(at: last) }
            #expect(try await fixture.stands(spent, at: last))
            for _ in 0..<3 { try await fixture.removeExpired(at: last + 1) }
            #expect(try await grant(spent.id, in: fixture) == nil)
            #expect(try await fixture.read { rows in try rows.family(of: spent.id) } == nil)
            for grant in others { #expect(try await fixture.stands(grant, at: last + 1)) }
            let consent = try await fixture.read { rows in
                try rows.consent(of: Sample.accountID(1), to: Sample.client, for: nil, server: Sample.server)
            }
            #expect(consent?.scopes == [.openID])
        }
    }

    @Test("What was taken back in a session that goes on is remembered: the same grant cannot be asked for again", arguments: Backend.databases)
    func revokedInSession(on backend: Backend) async throws {
        try await backend.runWithAlice { fixture in
            let online = Sample.grant(5, on: 3, of: 1)
            try await save(online, in: fixture)
            try await fixture.write { rows in try rows.revoke(online.id, at: Sample.now) }
            try await fixture.removeExpired(at: Sample.now + 9 * Self.day)
            #expect(try await grant(online.id, in: fixture)?.revokedAt == Sample.now)
        }
    }

    @Test("A deleted account leaves its grants to be told of, then nothing, its subject neither", arguments: Backend.databases)
    func accounts(on backend: Backend) async throws {
        try await backend.runWithAlice { fixture in
            try await fixture.write { rows in
                var application = Sample.application()
                application.backchannelLogoutURI = "https://shop.example/logout"
                try rows.save(application)
                try rows.save(Consent(account: Sample.accountID(1), client: Sample.client, api: nil, scopes: [.openID]), of: Sample.server)
            }
            let (online, offline) = (Sample.grant(5, on: 3, of: 1), Sample.grant(6, on: 3, of: 1, offline: true))
            for grant in [online, offline] { try await save(grant, in: fixture) }
            try await fixture.end(3, of: 1)
            try await fixture.delete(1)
            try await fixture.forgetSessions()
            try await fixture.removeExpired(at: Sample.now + Self.day)
            let notice = try #require(try await fixture.dueLogouts().first)
            #expect(notice.subject == "alice")
            try await fixture.write { rows in try rows.settle(notice) }
            try await fixture.removeExpired(at: Sample.now + Self.day)
            for grant in [online, offline] { #expect(try await self.grant(grant.id, in: fixture) == nil) }
            // Who comes after under that id is somebody else.
            try await fixture.enrol(1, userID: "bob")
            #expect(try await fixture.read { rows in try rows.person(of: Sample.accountID(1), at: Sample.server)?.subject } == "bob")
            let consent = try await fixture.read { rows in
                try rows.consent(of: Sample.accountID(1), to: Sample.client, for: nil, server: Sample.server)
            }
            #expect(consent == nil)
        }
    }

    /// What is kept of how tokens called account 1, whether or not it is there.
    private func subjects(in fixture: ProviderStoreFixture) async throws -> Int {
        guard case .database(let store) = fixture.people else { return 0 }
        return try await store.read { rows in
            let connection = try #require((rows as? SQLRows)?.connection)
            return try connection.query("SELECT account FROM oauth_subject WHERE account = $1", [SQLValue(Sample.accountID(1))]).count
        }
    }

    @Test("A deleted account of which no grant is left takes its subject along, and one with a grant leaves it to that", arguments: Backend.databases)
    func subjectWithoutGrant(on backend: Backend) async throws {
        for hasGrant in [false, true] {
            try await backend.runWithAlice { fixture in
                try await fixture.write { rows in try rows.keepSubject(of: Sample.accountID(1), at: Sample.server) }
                if hasGrant { try await save(Sample.grant(6, on: 3, of: 1, offline: true), in: fixture) }
                #expect(try await subjects(in: fixture) == 1)
                try await fixture.delete(1)
                #expect(try await subjects(in: fixture) == (hasGrant ? 1 : 0))
                try await fixture.removeExpired(at: Sample.now + 1)
                #expect(try await subjects(in: fixture) == 0)
            }
        }
    }

    @Test("A subject that an earlier program left behind goes when it is forgotten that there was the account", arguments: Backend.databases)
    func leftSubject(on backend: Backend) async throws {
        try await backend.runWithAlice { fixture in
            guard case .database(let store) = fixture.people else { return }
            try await fixture.delete(1)
            try await store.write { rows in
                _ = try (rows as? SQLRows)?.connection.execute(
                    "INSERT INTO oauth_subject (account, server, subject) VALUES ($1, $2, 'alice')",
                    [SQLValue(Sample.accountID(1)), SQLValue(Sample.server)])
            }
            func forget(before moment: Instant) async throws {
                _ = try await store.write { rows in try rows.removeDeleted(before: moment, limit: 9) }
            }
            try await forget(before: Sample.now)
            #expect(try await subjects(in: fixture) == 1)
            try await forget(before: Sample.now + 1)
            #expect(try await subjects(in: fixture) == 0)
        }
    }

    @Test("What was put off of a grant that is gone goes a day after its turn; of one that is there it stays", arguments: Backend.databases)
    func orphanedNotices(on backend: Backend) async throws {
        try await backend.runWithAlice { fixture in
            let listening = Sample.application()
            try await fixture.write { rows in
                var application = listening
                application.backchannelLogoutURI = "https://shop.example/logout"
                try rows.save(application)
            }
            try await save(Sample.grant(5, on: 3, of: 1), in: fixture)
            try await fixture.end(3, of: 1)
            try await fixture.forgetSessions()
            var retry = RetrySchedule(from: Sample.now)
            retry.dueAt = Sample.now + 10
            let later = LogoutNotice(
                server: Sample.server, session: Sample.sessionID(3), client: Sample.client, subject: "alice", address: "https://shop.example/logout",
                retry: retry)
            try await fixture.write { rows in try rows.postpone(later) }
            func putOff() async throws -> Int {
                guard case .database(let store) = fixture.people else { return 0 }
                return try await store.read { rows in
                    try #require((rows as? SQLRows)?.connection).query("SELECT session FROM oauth_logout", []).count
                }
            }
            // It is still to be said, however late.
            try await fixture.removeExpired(at: Sample.now + 9 * Self.day)
            #expect(try await putOff() == 1)
            // Its client has no address any more: nobody is to be told, and the grant goes.
            try await fixture.write { rows in
                var application = listening
                application.backchannelLogoutURI = nil
                try rows.save(application)
            }
            try await fixture.removeExpired(at: Sample.now + 10 + Self.day)
            #expect(try await putOff() == 1)
            try await fixture.removeExpired(at: Sample.now + 11 + Self.day)
            #expect(try await putOff() == 0)
        }
    }

    @Test("What a client polls for is counted for a day; a yes that nobody fetched is taken back then", arguments: Backend.databases)
    func polled(on backend: Backend) async throws {
        try await backend.runWithAlice { fixture in
            let offline = Sample.grant(6, on: 3, of: 1, offline: true)
            try await save(offline, in: fixture)
            let waiting = Sample.polled(1, .backchannel(Sample.accountID(1)), state: .approved(offline.id))
            try await fixture.write { rows in try rows.save(waiting) }
            func isThere() async throws -> Bool {
                try await fixture.read { rows in try rows.polled(hash: waiting.hash, of: Sample.server) } != nil
            }
            try await fixture.removeExpired(at: waiting.expiresAt + Self.day)
            #expect(try await isThere())
            #expect(try await fixture.stands(offline))
            try await fixture.removeExpired(at: waiting.expiresAt + Self.day + 1)
            #expect(try await !isThere())
            #expect(try await !fixture.stands(offline))
        }
    }

    @Test("A request that was sent ahead is there for its page, a revoked token until it would be over", arguments: Backend.databases)
    func requests(on backend: Backend) async throws {
        try await backend.runWithAlice { fixture in
            let request = PushedRequest(
                hash: Sample.bytes(5), server: Sample.server, client: Sample.client, parameters: [Parameter("a", "b")], expiresAt: Sample.now)
            try await fixture.write { rows in
                try rows.save(request)
                try rows.revoke(tokenID: "x.y", of: Sample.server, until: Sample.now)
            }
            func isThere() async throws -> Bool {
                try await fixture.read { rows in try rows.pushedRequest(hash: request.hash, of: Sample.server) } != nil
            }
            func isRevoked() async throws -> Bool { try await fixture.read { rows in try rows.isRevoked(tokenID: "x.y", of: Sample.server) } }
            try await fixture.removeExpired(at: Sample.now)
            #expect(try await isRevoked())
            try await fixture.removeExpired(at: Sample.now + 1_800)
            #expect(try await isThere())
            #expect(try await !isRevoked())
            try await fixture.removeExpired(at: Sample.now + 1_801)
            #expect(try await !isThere())
        }
    }

    @Test("What a clock wrote that ran ahead lives as long as what is written now", arguments: Backend.databases)
    func clock(on backend: Backend) async throws {
        try await backend.runWithAlice { fixture in
            let (ahead, now) = (Sample.now, Sample.now - 9 * Self.day)
            let offline = Sample.grant(6, on: 3, of: 1, offline: true)
            try await save(offline, in: fixture)
            let code = try Sample.code(1, for: offline)
            let family = RefreshFamily(
                grant: offline.id, server: Sample.server, client: Sample.client, binding: .none, life: .unlimited, createdAt: ahead, generation: 1)
            let polled = Sample.polled(1, .device(userCodeHash: Sample.bytes(1)))
            try await fixture.write { rows in
                try rows.save(code)
                try rows.save(family)
                try rows.save(polled)
            }
            try await (fixture.store as? any MomentKeeper)?.bringBack(from: now + 120, to: now)
            #expect(try await fixture.read { rows in try rows.code(hash: code.hash, of: Sample.server)?.expiresAt } == now + AuthorizationCode.life)
            // The predecessor is good for ten minutes from now, not for nine days.
            let kept = try #require(try await fixture.read { rows in try rows.family(of: offline.id) })
            #expect(kept.ruling(on: 0, at: now + RefreshFamily.grace + 1) == .reused)
            let waiting = try #require(try await fixture.read { rows in try rows.polled(hash: polled.hash, of: Sample.server) })
            #expect(waiting.decided(nil, at: now + 1) == nil)
        }
    }

    @Test("Refresh tokens are brought back whichever of their moments lies ahead, and none of those that do not", arguments: Backend.databases)
    func families(on backend: Backend) async throws {
        try await backend.runWithAlice { fixture in
            let (past, now, ahead) = (Sample.now, Sample.now + 50, Sample.now + 9 * Self.day)
            let moments = [(past, past, past), (ahead, past, past), (past, ahead, past), (past, past, ahead)]
            let families = zip(UInt8(6)..., moments).map { number, moments in
                RefreshFamily(
                    grant: Sample.grantID(number), server: Sample.server, client: Sample.client, binding: .none, life: .unlimited,
                    createdAt: moments.0, generation: 1, renewedAt: moments.1, usedAt: moments.2)
            }
            for (number, family) in zip(UInt8(6)..., families) {
                try await save(Sample.grant(number, on: 3, of: 1, offline: true), in: fixture)
                try await fixture.write { rows in try rows.save(family) }
                try await (fixture.store as? any MomentKeeper)?.bringBack(from: now + 120, to: now)
                let kept = try #require(try await fixture.read { rows in try rows.family(of: family.grant) })
                #expect(kept.createdAt == min(family.createdAt, now) && kept.renewedAt == min(family.renewedAt, now))
                #expect(kept.usedAt == min(family.usedAt, now))
            }
        }
    }

    @Test("Where no refresh token lies ahead nobody waits to write while all of them are looked through")
    func noFamilies() async throws {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        try await database.migrate(AuthenticationSchema.migrations)
        let store = SQLOAuthStore(database: database, key: KeyEncryptionKey.random())
        _ = database.take()
        try await store.bringBack(from: Sample.now + 120, to: Sample.now)
        let count = database.take()
        #expect(count.reads == 1 && count.statements.filter { $0.contains("oauth_family") } == [count.statements.first ?? ""])
    }
}
