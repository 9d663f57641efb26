import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Provider's store: looking for what backends are to be told", .againWithLostCommits)
struct LogoutLookTests {
    typealias Backend = ProviderStoreBackend

    private static let now = Sample.now

    /// Alice, and a client that listens, with grants of so many sessions of hers, the first of which is 1.
    private func run(
        on backend: Backend, sessions count: UInt8, _ body: @Sendable (ProviderStoreFixture, _ grants: [Grant]) async throws -> Void
    ) async throws {
        try await backend.run { fixture in
            try await fixture.enrol(1, userID: "alice")
            for session in 1...count { try await fixture.logIn(session, as: 1) }
            try await listen(Sample.client, fixture)
            let grants = (1...count).map { Sample.grant($0, on: $0, of: 1) }
            try await fixture.write { rows in for grant in grants { try rows.save(grant) } }
            try await body(fixture, grants)
        }
    }

    private func listen(_ client: ClientID, isListening: Bool = true, _ fixture: ProviderStoreFixture) async throws {
        let application = Self.application(client, isListening: isListening)
        try await fixture.write { rows in try rows.save(application) }
    }

    private static func application(_ client: ClientID, isListening: Bool = true) -> Application {
        var application = Application(id: client, server: Sample.server, kind: .native, name: "Client", authentication: .none)
        application.backchannelLogoutURI = isListening ? "https://\(client.text).example/logout" : nil
        return application
    }

    /// Sessions of which something became due in the last two minutes.
    private func lately(_ fixture: ProviderStoreFixture, at now: Instant, limit: Int = 99) async throws -> Set<SessionID> {
        Set(try await fixture.read { rows in try rows.logouts(dueSince: now - LogoutLook.lately, at: now, limit: limit) }.map(\.session))
    }

    @Test(
        "What was ended, ran out, was taken by an operator or put off is found by when it became due, for two minutes", arguments: Backend.databases)
    func lately(on backend: Backend) async throws {
        try await run(on: backend, sessions: 5) { fixture, grants in
            #expect(try await lately(fixture, at: Self.now).isEmpty)
            let (stopped, taken, putOff) = (Sample.sessionID(1), Sample.sessionID(2), Sample.sessionID(3))
            try await fixture.end(1, of: 1)
            try await fixture.write { rows in _ = try rows.endGrant(grants[1].id, at: Sample.server, now: Self.now + 10) }
            try await fixture.end(3, of: 1)
            var retry = RetrySchedule(from: Self.now)
            retry.dueAt = Self.now + 500
            let later = LogoutNotice(
                server: Sample.server, session: putOff, client: Sample.client, subject: nil, address: "https://shop-1.example/logout", retry: retry)
            try await fixture.write { rows in try rows.postpone(later) }
            // By the moment at which one looks.
            let expected: [(at: UInt64, sessions: Set<SessionID>)] = [
                (10, [stopped, taken]), (120, [stopped, taken]), (121, [taken]), (130, [taken]), (131, []), (315, []),
                (316, [Sample.sessionID(4), Sample.sessionID(5), taken]), (435, [Sample.sessionID(4), Sample.sessionID(5), taken]), (436, []),
                (499, []), (500, [putOff]), (620, [putOff]), (621, []),
            ]
            for (offset, sessions) in expected { #expect(try await lately(fixture, at: Self.now + offset) == sessions, "\(offset)") }
            // However late, the other look finds them all.
            let all = try await fixture.dueLogouts(at: Self.now + 9_999)
            #expect(Set(all.map(\.session)) == Set((1...5).map { Sample.sessionID($0) }))
        }
    }

    @Test("Each look goes over so many grants and on from where the last one ended, and a pass finds each session once", arguments: Backend.allCases)
    func passes(on backend: Backend) async throws {
        try await run(on: backend, sessions: 9) { fixture, _ in
            let (other, silent) = (ClientID("a-first")!, ClientID("silent")!)
            try await listen(other, fixture)
            try await listen(silent, isListening: false, fixture)
            let more =
                (UInt8(1)...4).map { Sample.grant(0x20 + $0, on: $0, of: 1, client: other) }
                + (UInt8(1)...9).map { Sample.grant(0x40 + $0, on: $0, of: 1, client: silent) }
            try await fixture.write { rows in for grant in more { try rows.save(grant) } }
            for session in [UInt8(1), 2, 8, 9] { try await fixture.end(session, of: 1) }
            let expected = [
                "a-first 1", "a-first 2", "shop-1 1", "shop-1 2", "shop-1 8", "shop-1 9",
            ]
            // Longer after the ends than anything is found by its moment.
            let (now, look) = (Self.now + 300, LogoutLook(part: 2))
            for pass in 0..<2 {
                var found: [String] = []
                // Thirteen grants of clients that listen.
                for _ in 0..<7 {
                    let notices = try await look.due(in: fixture.store, at: now, limit: 9)
                    #expect(notices.count <= 2)
                    found += notices.map { "\($0.client.text) \($0.session.bytes[0])" }
                }
                #expect(found.sorted() == expected, "pass \(pass)")
            }
            // Settled in the middle of a pass: the place stays right, though what it names is no more among them.
            let first = try await look.due(in: fixture.store, at: now, limit: 9)
            try await fixture.write { rows in for notice in first { try rows.settle(notice) } }
            var rest: [LogoutNotice] = []
            for _ in 0..<6 { rest += try await look.due(in: fixture.store, at: now, limit: 9) }
            #expect((first + rest).map { "\($0.client.text) \($0.session.bytes[0])" }.sorted() == expected)
        }
    }

    @Test(
        "What ended while nobody looked, or by a clock that ran ahead, is told, and so is a client that gets its address later",
        arguments: Backend.databases)
    func missedByTime(on backend: Backend) async throws {
        try await run(on: backend, sessions: 3) { fixture, _ in
            try await listen(Sample.client, isListening: false, fixture)
            try await fixture.end(1, of: 1, at: Self.now + 86_400)
            try await fixture.end(2, of: 1, at: Self.now - 86_400)
            #expect(try await fixture.dueLogouts().isEmpty)
            try await listen(Sample.client, fixture)
            #expect(try await lately(fixture, at: Self.now).isEmpty)
            #expect(try await Set(fixture.dueLogouts().map(\.session)) == [Sample.sessionID(1), Sample.sessionID(2)])
        }
    }

    @Test("A look reads no table from end to end: what is lately due has an index for each kind, and the rest goes on, once, within a client's")
    func plans() async throws {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        try await database.migrate(AuthenticationSchema.migrations)
        let store = SQLOAuthStore(database: database, key: KeyEncryptionKey.random())
        _ = database.take()
        _ = try await LogoutLook().due(in: store, at: Self.now, limit: 9)
        #expect(Set(database.take().statements).count == 1, "nobody is to be told anything")
        try await store.write { rows in try rows.save(Self.application(Sample.client)) }
        _ = database.take()
        _ = try await LogoutLook().due(in: store, at: Self.now, limit: 9)
        let statements = Set(database.take().statements)
        #expect(statements.count == 3)
        var plans: [String] = []
        for statement in statements {
            plans += try await database.plan(of: statement)
        }
        // Of what these find, which is bounded.
        let found = ["lately", "part", "rest", "others", "nearest", "notices", "place", "n", "t"]
        for step in plans where step.hasPrefix("SCAN ") {
            let name = step.dropFirst("SCAN ".count)
            #expect(name.hasPrefix("(subquery-") || found.contains(String(name)), "\(step)")
        }
        for index in ["session_over", "session_running", "oauth_grant_revoked", "oauth_logout_due", "oauth_grant_session"] {
            #expect(plans.contains { $0.contains(" \(index) ") }, "\(index)")
        }
        let onwards = plans.filter { $0.contains("oauth_grant_client (server=? AND client=? AND told=? AND id>?)") }
        #expect(onwards.count == 1 && plans.filter { $0 == "MATERIALIZE part" }.count == 1)
    }
}
