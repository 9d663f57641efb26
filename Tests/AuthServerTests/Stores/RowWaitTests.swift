import AuthServer
import Authentication
import Database
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import AuthServer

/// docs/decisions/0075, by the locks that there are: each that comes to an account, while somebody has that.
@Suite(
    "PostgreSQL: whoever waits for an account has no row yet for which its holder could wait", .enabled(if: PostgreSQLCluster.isInstalled),
    .timeLimit(.minutes(5)))
struct RowWaitTests {
    /// What comes to an account, and to other rows of its person.
    enum Deed: CaseIterable, Sendable {
        case rightCode, wrongCode, renewal, logout, deletion, block, login, typedCode
    }

    @Test(
        "An enrolment that is confirmed and one that begins anew, a login, a logout, a block, a deletion: each waits empty-handed",
        arguments: Deed.allCases)
    func emptyHanded(_ deed: Deed) async throws {
        let (cluster, name) = (try await PostgreSQLCluster.shared, try await SchemaTemplate.authentication.makePostgreSQL())
        defer { cluster.leave(name) }
        let (database, other) = (try await cluster.open(name), try await cluster.open(name))
        try await ServersFixture.run(database: database) { servers in
            let begin = try await Self.prepare(deed, at: servers)
            // Others may read it, and nobody changes a row of it.
            let (work, held) = try await TableHolder.with("account", at: cluster.address(of: name), mode: "SHARE") { _ in
                let isOver = Mutex(false)
                let work = Task {
                    defer { isOver.withLock { $0 = true } }
                    try await begin()
                }
                while try await Self.waiting(in: other) == 0 {
                    try #require(!isOver.withLock { $0 }, "it wants nothing of the account")
                    await Task.yield()
                }
                let held = try await Self.heldTables(in: other)
                return (work, held)
            }
            try await work.value
            #expect(held.isEmpty)
        }
        for database in [database, other] { await database.close() }
    }

    /// How many wait for a lock.
    private static func waiting(in database: any Database) async throws -> Int {
        try await database.read { connection in
            let question = """
                SELECT COUNT(*) AS n FROM pg_stat_activity
                WHERE datname = current_database() AND backend_type = 'client backend' AND wait_event_type = 'Lock'
                """
            return try connection.one(question)?.int("n") ?? 0
        }
    }

    /// The tables of which somebody has changed a row and has not committed it.
    private static func heldTables(in database: any Database) async throws -> [String] {
        var held: [String] = []
        for table in ["pin_cache", "oauth_grant", "session", "nonce", "enrolment", "instance", "offline_tries", "offline_failures", "account_count"] {
            do {
                try await database.transaction { connection -> Void in
                    _ = try connection.query("SELECT 1 AS found FROM \(table) FOR UPDATE NOWAIT")
                }
            } catch SQLError.busy {
                held.append(table)
            }
        }
        return held
    }

    private typealias Work = @Sendable () async throws -> Void

    /// Everything up to the transaction that is looked at.
    private static func prepare(_ deed: Deed, at servers: ServersFixture) async throws -> Work {
        switch deed {
        case .rightCode, .wrongCode, .renewal, .logout: try await prepareEnrolment(deed, at: servers)
        case .deletion, .block, .login, .typedCode: try await prepareAccount(deed, at: servers)
        }
    }

    /// The account waits for its code, and its browser for a login beside it.
    private static func prepareEnrolment(_ deed: Deed, at servers: ServersFixture) async throws -> Work {
        let (nonce, page) = (try servers.nonce(), SHA([UInt8]("page".utf8)))
        let (enrolments, server, now) = (servers.services.enrolments, servers.server, servers.now)
        @Sendable func start(isNewest: Bool) async throws -> EnrolLink {
            let start = EnrolmentStart(nonce: nonce, displayName: "Alice", userID: "alice", page: page, isNewest: isNewest)
            return try await enrolments.start(start, at: server, origin: ServersFixture.origin, by: .page, now: now).link
        }
        let phone = try await TestPhone(servers).scan(try await start(isNewest: true))
        try #require(try await phone.finish().status == .ok)
        _ = try await servers.link(nonce)
        let (right, wrong) = (phone.code, phone.code == "0000" ? "1111" : "0000")
        @Sendable func enter(_ code: String) async throws -> ConfirmationOutcome {
            try await enrolments.confirm(nonce, code: code, at: server, by: .page, now: now)
        }
        switch deed {
        case .rightCode: return { () async throws in #expect(try await enter(right) == .activated(phone.screen.accountID)) }
        case .wrongCode:
            for _ in 0..<2 { _ = try await enter(wrong) }
            return { () async throws in #expect(try await enter(wrong) == .removed) }
        case .renewal: return { _ = try await start(isNewest: false) }
        default: return { try await servers.services.sessions.logOut(nonce, at: server, by: .backend, now: now) }
        }
    }

    /// The account is logged in in a browser and in its app.
    private static func prepareAccount(_ deed: Deed, at servers: ServersFixture) async throws -> Work {
        let phone = try await TestPhone(servers).enrol(try servers.nonce())
        servers.clock.advance(61)
        try await servers.update { $0.pinTimeout = 5 }
        try await servers.switchOfflineCodesOn()
        try await phone.logIn(try servers.nonce())
        try await phone.logInApp()
        // What happens in the second of the login before changes nothing of the account.
        servers.clock.advance(1)
        let (accounts, server, now) = (servers.services.accounts, servers.server, servers.now)
        switch deed {
        case .deletion: return { try await accounts.delete(phone.account, at: server, by: .backend, now: now) }
        case .block: return { _ = try await accounts.setBlocked(true, phone.account, at: server, by: .backend, now: now) }
        case .login:
            // In the place of the one before.
            let shown = try await phone.openApp()
            let attempt = try shown.attempt()
            #expect(try await phone.phone.evaluate(attempt).status == .ok)
            let decision = try shown.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt))
            return { () async throws in #expect(try await shown.send(decision).result == .loggedIn) }
        default:
            let nonce = try servers.nonce()
            _ = try await servers.link(nonce)
            let code = try await servers.offlineCode(of: phone.account, for: nonce)
            return { () async throws in #expect(try await servers.refusal(ofTyping: code, for: nonce) == nil) }
        }
    }
}
