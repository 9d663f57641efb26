import Authentication
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("Provider's store: a grant stands while what it hangs on does", .againWithLostCommits)
struct ProviderStandingTests {
    typealias Backend = ProviderStoreBackend

    /// Alice, logged in by session 3, with a grant on the session and one on her device.
    private func run(
        on backend: Backend, until deadline: Instant = Sample.now + 315,
        _ body: @Sendable (ProviderStoreFixture, _ online: Grant, _ offline: Grant) async throws -> Void
    ) async throws {
        try await backend.run { fixture in
            try await fixture.enrol(1, userID: "alice")
            try await fixture.logIn(3, as: 1, until: deadline)
            let (online, offline) = (Sample.grant(5, on: 3, of: 1), Sample.grant(6, on: 3, of: 1, offline: true))
            var application = Sample.application()
            application.backchannelLogoutURI = "https://shop.example/logout"
            let saved = application
            try await fixture.write { rows in
                try rows.save(saved)
                try rows.save(Sample.protectedAPI())
                for grant in [online, offline] {
                    try rows.keepSubject(of: grant.holder.account, at: grant.server)
                    try rows.save(grant)
                }
            }
            #expect(try await fixture.stands(online))
            #expect(try await fixture.stands(offline))
            try await body(fixture, online, offline)
        }
    }

    @Test("S3-45 the end of a session ends what hangs on it at once, and nothing else", arguments: Backend.allCases)
    func session(on backend: Backend) async throws {
        try await run(on: backend) { fixture, online, offline in
            try await fixture.end(3, of: 1)
            #expect(try await !fixture.stands(online))
            #expect(try await fixture.stands(offline))
        }
    }

    @Test("A session that ran out is over before anybody has written that down", arguments: Backend.databases)
    func ranOut(on backend: Backend) async throws {
        try await run(on: backend) { fixture, online, offline async throws in
            #expect(try await fixture.stands(online, at: Sample.now + 315))
            #expect(try await !fixture.stands(online, at: Sample.now + 316))
            #expect(try await fixture.stands(offline, at: Sample.now + 316))
            #expect(try await fixture.read { rows in try rows.login(of: Sample.sessionID(3), at: Sample.server, now: Sample.now + 315) } != nil)
            #expect(try await fixture.read { rows in try rows.login(of: Sample.sessionID(3), at: Sample.server, now: Sample.now + 316) } == nil)
        }
    }

    @Test("A session that is another account's now is not what a grant hangs on", arguments: Backend.allCases)
    func otherAccount(on backend: Backend) async throws {
        try await run(on: backend) { fixture, online, _ in
            try await fixture.enrol(2, userID: "bob")
            try await fixture.logIn(3, as: 2)
            #expect(try await !fixture.stands(online))
        }
    }

    @Test("Nothing stands of an account that may not log in, whoever said so; a deletion is for good", arguments: Backend.allCases)
    func account(on backend: Backend) async throws {
        try await run(on: backend) { fixture, online, offline in
            try await fixture.enrol(1, userID: "alice", isBlocked: true)
            for grant in [online, offline] { #expect(try await !fixture.stands(grant)) }
            #expect(try await fixture.read { rows in try rows.person(of: Sample.accountID(1), at: Sample.server) } == nil)
            #expect(try await fixture.read { rows in try rows.login(of: Sample.sessionID(3), at: Sample.server, now: Sample.now) } == nil)
            try await fixture.enrol(1, userID: "alice")
            for grant in [online, offline] { #expect(try await fixture.stands(grant)) }
            try await fixture.delete(1)
            for grant in [online, offline] { #expect(try await !fixture.stands(grant)) }
            // What is left of it can still be taken back.
            try await fixture.write { rows in try rows.revoke(offline.id, at: Sample.now) }
            #expect(try await fixture.read { rows in try rows.grant(offline.id)?.revokedAt } == Sample.now)
            // Nor does what is written of it now bring back what it hung on.
            var changed = online
            changed.revokedAt = Sample.now + 1
            let saved = changed
            try await fixture.write { rows in try rows.save(saved) }
            #expect(try await fixture.read { rows in try rows.grant(online.id) } == saved)
        }
    }

    @Test("S3-37 an API that allows offline access no more, or is gone, ends what hangs on a device for it", arguments: Backend.allCases)
    func switchedOff(on backend: Backend) async throws {
        try await run(on: backend) { fixture, online, offline in
            let (identity, unknown) = (
                Sample.grant(7, on: 3, of: 1, offline: true, api: nil), Sample.grant(8, on: 3, of: 1, offline: true, api: APIIdentifier("urn:gone"))
            )
            try await fixture.write { rows in
                for grant in [identity, unknown] { try rows.save(grant) }
                try rows.save(Sample.protectedAPI(offline: false))
            }
            #expect(try await fixture.stands(online))
            #expect(try await fixture.stands(identity))
            for grant in [offline, unknown] { #expect(try await !fixture.stands(grant)) }
        }
    }

    @Test("S3-46 what was taken back stands no more, in the same transaction and after it", arguments: Backend.allCases)
    func takenBack(on backend: Backend) async throws {
        try await run(on: backend) { fixture, _, offline in
            let stood = try await fixture.store.write { rows, former -> [Bool] in
                if let former, try rows.grant(offline.id)?.revokedAt != nil { return former }
                let before = try rows.standing(offline.id, at: Sample.now) != nil
                try rows.revoke(offline.id, at: Sample.now)
                return [before, try rows.standing(offline.id, at: Sample.now) != nil]
            }
            #expect(stood == [true, false])
            #expect(try await !fixture.stands(offline))
        }
    }

    @Test("S3-14 a subject is kept from the first grant on, also when the account is called otherwise", arguments: Backend.allCases)
    func subject(on backend: Backend) async throws {
        try await run(on: backend) { fixture, _, offline in
            try await fixture.enrol(1, userID: "alice.smith")
            try await fixture.write { rows in try rows.keepSubject(of: Sample.accountID(1), at: Sample.server) }
            #expect(try await fixture.read { rows in try rows.standing(offline.id, at: Sample.now)?.person.subject } == "alice")
            #expect(try await fixture.read { rows in try rows.person(of: Sample.accountID(1), at: Sample.server)?.subject } == "alice")
            for name in ["alice", "alice.smith"] {
                #expect(try await fixture.read { rows in try rows.account(hinted: name, at: Sample.server) } == Sample.accountID(1))
            }
            try await fixture.enrol(2, userID: nil)
            let alone = Sample.accountID(2)
            #expect(try await fixture.read { rows in try rows.person(of: alone, at: Sample.server)?.subject } == alone.text)
            #expect(try await fixture.read { rows in try rows.account(hinted: alone.text, at: Sample.server) } == alone)
            #expect(try await fixture.read { rows in try rows.account(hinted: "nobody", at: Sample.server) } == nil)
        }
    }

    @Test("Of several phones of somebody the one is meant that logged in last, and none that may not", arguments: Backend.databases)
    func hinted(on backend: Backend) async throws {
        try await backend.run { fixture in
            for (account, lastLogin) in [(UInt8(1), Instant?.none), (2, Sample.now - 5), (3, Sample.now), (4, Sample.now - 9)] {
                try await fixture.enrol(account, userID: "alice", lastLogin: lastLogin)
            }
            func meant() async throws -> AccountID? { try await fixture.read { rows in try rows.account(hinted: "alice", at: Sample.server) } }
            #expect(try await meant() == Sample.accountID(3))
            try await fixture.enrol(3, userID: "alice", lastLogin: Sample.now, isBlocked: true)
            #expect(try await meant() == Sample.accountID(2))
            try await fixture.enrol(2, userID: "alice", lastLogin: Sample.now - 5, isHeadless: true)
            #expect(try await meant() == Sample.accountID(4), "one without a second factor may not log in")
            #expect(try await fixture.read { rows in try rows.person(of: Sample.accountID(2), at: Sample.server) } == nil)
        }
    }

    @Test("An app is known by its webNonce while it is logged in, and a nonce of a backend is none", arguments: Backend.databases)
    func appSession(on backend: Backend) async throws {
        try await backend.run { fixture in
            try await fixture.enrol(1, userID: "alice")
            let key = TokenKey(thumbprint: Sample.bytes(0x4B))
            try await fixture.logIn(3, as: 1, webNonce: Sample.bytes(0x55), tokenKey: key)
            try await fixture.logIn(4, as: 1, webNonce: Sample.bytes(0x56))
            func app(_ nonce: [UInt8], at now: Instant = Sample.now) async throws -> AppSession? {
                try await fixture.read { rows in try rows.appSession(webNonceHash: nonce, of: Sample.server, at: now) }
            }
            #expect(try await app(Sample.bytes(0x55))?.session == Sample.sessionID(3))
            #expect(try await app(Sample.bytes(0x55))?.tokenKey?.bytes == Sample.bytes(0x4B), "the key that its phone named")
            #expect(try await app(Sample.bytes(0x56))?.session == Sample.sessionID(4))
            #expect(try await app(Sample.bytes(0x56))?.tokenKey == nil, "and of one that named none there is none")
            #expect(try await app(Sample.bytes(3)) == nil)
            #expect(try await app(Sample.bytes(0x55), at: Sample.now + 316) == nil)
            try await fixture.end(3, of: 1)
            #expect(try await app(Sample.bytes(0x55)) == nil)
        }
    }

    @Test("A client is to hear of an end until that is settled, and whose it was, though the account is gone", arguments: Backend.allCases)
    func logouts(on backend: Backend) async throws {
        try await run(on: backend) { fixture, _, _ in
            func due(at now: Instant = Sample.now) async throws -> [LogoutNotice] {
                try await fixture.dueLogouts(at: now)
            }
            #expect(try await due().isEmpty)
            try await fixture.end(3, of: 1)
            try await fixture.delete(1)
            let notices = try await due()
            // One, though there are two grants.
            let expected = LogoutNotice(
                server: Sample.server, session: Sample.sessionID(3), client: Sample.client, subject: "alice", address: "https://shop.example/logout",
                retry: RetrySchedule(from: Sample.now))
            #expect(notices == [expected])
            var retry = RetrySchedule(from: Sample.now)
            retry.postpone(at: Sample.now)
            let later = LogoutNotice(
                server: expected.server, session: expected.session, client: expected.client, subject: expected.subject, address: expected.address,
                retry: retry)
            try await fixture.write { rows in try rows.postpone(later) }
            #expect(try await due(at: Sample.now + 1).isEmpty)
            #expect(try await due(at: Sample.now + 2) == [later])
            try await fixture.write { rows in try rows.settle(later) }
            #expect(try await due(at: Sample.now + 9_999).isEmpty)
        }
    }

    @Test("Of what is due each client's first comes before any client's second", arguments: Backend.allCases)
    func inTurn(on backend: Backend) async throws {
        try await run(on: backend) { fixture, _, _ in
            let other = ClientID("other")!
            var application = Application(id: other, server: Sample.server, kind: .native, name: "Other", authentication: .none)
            application.backchannelLogoutURI = "https://other.example/logout"
            let saved = application
            let grants =
                (10..<15).map { Sample.grant($0, on: $0, of: 1, offline: true) }
                + [Sample.grant(0xF0, on: 0xF0, of: 1, offline: true, client: other)]
            try await fixture.write { rows in
                try rows.save(saved)
                for grant in grants { try rows.save(grant) }
            }
            func due(_ limit: Int) async throws -> [String] {
                try await fixture.dueLogouts(at: Sample.now + 100, limit: limit).map(\.client.text)
            }
            let shop = Sample.client.text
            #expect(try await Set(due(2)) == [shop, "other"])
            // Those of the one have been due for longer.
            for notice in try await fixture.dueLogouts() where notice.client == Sample.client {
                var retry = notice.retry
                retry.postpone(at: Sample.now)
                let later = LogoutNotice(
                    server: notice.server, session: notice.session, client: notice.client, subject: notice.subject, address: notice.address,
                    retry: retry)
                try await fixture.write { rows in try rows.postpone(later) }
            }
            #expect(try await due(2) == [shop, "other"])
            #expect(try await due(9) == [shop, "other", shop, shop, shop, shop])
            let way = PolledAuthorization.Way.backchannel(Sample.accountID(1))
            let polled = (0..<5).map { Sample.polled($0, way, state: .denied, pinged: true) }
            let one = Sample.polled(9, way, state: .denied, pinged: true, client: other)
            try await fixture.write { rows in for each in polled + [one] { try rows.save(each) } }
            let pings = try await fixture.read { rows in try rows.duePings(at: Sample.now, limit: 2) }
            #expect(Set(pings.map(\.client)) == [Sample.client, other])
        }
    }

    @Test("A ping is due when a person decided, for as long as its client may ask", arguments: Backend.allCases)
    func pings(on backend: Backend) async throws {
        try await backend.run { fixture in
            let way = PolledAuthorization.Way.backchannel(Sample.accountID(1))
            let states: [PolledAuthorization.State] = [.pending, .approved(Sample.grantID(1)), .denied]
            let all = states.enumerated().map { Sample.polled(UInt8($0), way, state: $1, pinged: true) } + [Sample.polled(9, way, state: .denied)]
            try await fixture.write { rows in for each in all { try rows.save(each) } }
            func due(at now: Instant) async throws -> Set<[UInt8]> {
                Set(try await fixture.read { rows in try rows.duePings(at: now, limit: 9) }.map(\.hash))
            }
            let end = Sample.now + 300
            #expect(try await due(at: end) == [all[1].hash, all[2].hash])
            #expect(try await due(at: end + 1) == [all[1].hash])
            // A minute, and the interval.
            #expect(try await due(at: end + 70) == [all[1].hash])
            #expect(try await due(at: end + 71) == [])
            var ping = try #require(try await fixture.read { rows in try rows.duePings(at: end + 1, limit: 9) }.first)
            let token = try ping.notification.token.bytes()
            #expect(token == Sample.bytes(0x21))
            ping.retry.postpone(at: end + 1)
            let postponed = ping
            try await fixture.write { rows in try rows.postpone(postponed) }
            #expect(try await due(at: end + 2) == [])
            #expect(try await due(at: end + 3) == [all[1].hash])
            // What is saved anew keeps how far its ping is.
            try await fixture.write { rows in try rows.save(all[1]) }
            #expect(try await due(at: end + 2) == [])
            try await fixture.write { rows in try rows.settle(postponed) }
            #expect(try await due(at: end + 3) == [])
        }
    }
}
