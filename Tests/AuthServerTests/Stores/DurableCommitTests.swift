import AuthServer
import Authentication
import Database
import OstiaryProtocol
import OstiaryTesting
import Testing

/// What waits for the disk, and what does not because nobody relies on it (docs/decisions/0063): who makes either one more says so here.
@Suite("What of the authentication server waits for the disk")
struct DurableCommitTests {
    /// What one thing that was asked for has committed.
    private struct Commits: Equatable {
        var hard = 0
        var soft = 0

        init(hard: Int = 0, soft: Int = 0) { (self.hard, self.soft) = (hard, soft) }

        init(_ count: CountingDatabase.Count) { self.init(hard: count.commits - count.softCommits, soft: count.softCommits) }
    }

    /// - Parameter other: of the second-factor server.
    private static func run(
        secondFactorDatabase other: CountingDatabase? = nil,
        _ body: @Sendable @escaping (ServersFixture, _ commits: @escaping @Sendable () -> Commits) async throws -> Void
    ) async throws {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        try await ServersFixture.run(database: database, secondFactorDatabase: other) { servers in
            try await body(servers) { Commits(database.take()) }
        }
    }

    @Test("A login by QR code and PIN waits for the disk four times: for its number, the count, the settlement and the login")
    func login() async throws {
        let secondFactor = CountingDatabase(try SQLiteDatabase.inMemory())
        try await Self.run(secondFactorDatabase: secondFactor) { servers, commits in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            try await phone.logIn(try servers.nonce())
            servers.clock.advance(60)
            _ = commits()
            _ = secondFactor.take()
            let link = try await servers.link(try servers.nonce())
            #expect(commits() == Commits(soft: 1))
            let shown = try await phone.scan(link)
            #expect(commits() == Commits())
            let attempt = try shown.attempt()
            #expect(try await phone.phone.evaluate(attempt).status == .ok)
            #expect(commits() == Commits(hard: 2))
            #expect(Commits(secondFactor.take()) == Commits(hard: 1))
            _ = try await shown.send(try shown.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt)))
            #expect(commits() == Commits(hard: 1))
            #expect(Commits(secondFactor.take()) == Commits(soft: 1))
        }
    }

    @Test("A code is soft while its session is new: what is asked anew, what ends another session, and what a clock ahead has numbered is not")
    func links() async throws {
        try await Self.run { servers, commits in
            let nonce = try servers.nonce()
            @Sendable func open(by browser: String? = nil) async throws -> Commits {
                let update = LoginRequestUpdate(shown: browser.map { ShownContext(userAgent: $0) })
                _ = try await servers.services.sessions.loginLink(
                    for: nonce, at: servers.server, style: .moving, asking: update, by: .backend, now: servers.now)
                return commits()
            }
            _ = commits()
            #expect(try await open() == Commits(soft: 1))
            #expect(try await open() == Commits())
            #expect(try await open(by: "a browser") == Commits(hard: 1))
            #expect(try await open(by: "a browser") == Commits())
            // It is over by itself: nobody is told of an end.
            servers.clock.advance(3_600)
            #expect(try await open(by: "another browser") == Commits(soft: 1))
            // Of a clock that was ahead: its number would come once more, if it was lost.
            try await servers.database.transaction { try $0.execute("UPDATE nonce SET run = run + 100000") }
            _ = commits()
            servers.clock.advance(3_600)
            #expect(try await open(by: "another browser") == Commits(hard: 1))
        }
    }

    @Test("A ping is soft; one that finds its session over, or says which notices were shown, is not, and neither is a stop")
    func pings() async throws {
        try await Self.run { servers, commits in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let session = try #require(try await phone.logIn(try servers.nonce()).sessionID)
            servers.clock.advance(1)
            _ = commits()
            _ = try await phone.ping(session)
            #expect(commits() == Commits(soft: 1))
            servers.clock.advance(1)
            let notice = DeviceNotice(.enrolled, id: NoticeID(using: SystemRandomSource()), device: "another", time: servers.now)
            _ = try await phone.ping(session, after: [notice])
            #expect(commits() == Commits(hard: 1))
            servers.clock.advance(1)
            let other = try #require(try await phone.logIn(try servers.nonce()).sessionID)
            _ = commits()
            try await phone.stop(other)
            #expect(commits() == Commits(hard: 1))
            servers.clock.advance(400)
            _ = try await phone.ping(session)
            #expect(commits() == Commits(hard: 1))
        }
    }

    @Test("Pages: an address that is made and a page that begins anew are soft; a ticket that is redeemed and a logout are not")
    func pages() async throws {
        let database = CountingDatabase(try await SchemaTemplate.authentication.ofEngine())
        let store = SQLPageStore(database: database)
        let commits = { @Sendable () -> Commits in Commits(database.take()) }
        let (ticket, cookie, now) = (PageSecret(using: SystemRandomSource()), PageSecret(using: SystemRandomSource()), Instant(1_000_000))
        let page = Page(kind: .login, serverID: Sample.server, nonceHash: Sample.bytes(7, 32))
        _ = commits()
        try await store.open(page, ticket: ticket, until: now + 60)
        #expect(commits() == Commits(soft: 1))
        #expect(try await store.redeem(ticket, for: cookie, until: now + 600, at: now) != nil)
        #expect(commits() == Commits(hard: 1))
        _ = try await store.renew(cookie, at: now)
        #expect(commits() == Commits(soft: 1))
        try await store.logOut(nonce: page.nonceHash, of: page.serverID)
        #expect(commits() == Commits(hard: 1))
    }
}
