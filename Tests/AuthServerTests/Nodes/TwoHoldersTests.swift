import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Synchronization
import Testing

@testable import AuthServer

/// What the lease keeps apart, done by two at once: it is no fence, and each piece of work is claimed by its own row (decision 0053).
@Suite("Work of two nodes that both believe that the lease is theirs", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(10)))
struct TwoHoldersTests {
    /// One is halted after it has taken the lease, so that no time goes by for it, and the other takes it a whole life later.
    private func expectBoth(_ nodes: NodesFixture) async throws {
        let leases = (0..<2).map { number in
            nodes.databases[number].lease("housekeeping", for: 60, holder: [UInt8](repeating: UInt8(number), count: 16))
        }
        #expect(try await leases[0].isHeld(at: 0))
        for now in stride(from: 0 as UInt64, through: 45, by: 15) { #expect(try await !leases[1].isHeld(at: now)) }
        #expect(try await leases[1].isHeld(at: 60))
        #expect(try await leases[0].isHeld(at: 1))
    }

    @Test("Both end what ran out after both have looked: each session is ended once, with one line in the audit trail")
    func housekeeping() async throws {
        try await NodesFixture.run(3) { nodes in
            var sessions: [SessionNonce] = []
            for number in 0..<3 {
                let phone = try await TestPhone(nodes[0]).enrol(try nodes[0].nonce(), userID: "person \(number)")
                let nonce = try nodes[0].nonce()
                let attempt = try await phone.scan(try await nodes[0].link(nonce)).attempt()
                #expect(try await phone.phone.evaluate(attempt).status == .ok)
                sessions.append(nonce)
            }
            try await expectBoth(nodes)
            nodes.clock.advance(1_000)
            try await meet(at: "session", nodes.databases[2]) { number in
                _ = try await nodes[number].services.housekeeping.run(at: nodes.clock.now)
            }
            // Who comes behind them finds nothing.
            for node in nodes.nodes { _ = try await node.services.housekeeping.run(at: nodes.clock.now) }
            let store = SQLAuthenticationStore(database: nodes.databases[2], key: nodes.key)
            let trail = try await store.read { rows in try rows.auditEntries(of: nodes[2].server, limit: 99) }
            #expect(trail.filter { $0.kind == .loginAbandoned }.count == 3)
            for nonce in sessions { #expect(try await nodes[2].status(of: nonce).loggedIn == false) }
        }
    }

    @Test("Both tell backends after both have looked: each logout is told by each of them once, by a token of its own, and by nobody afterwards")
    func notices() async throws {
        try await NodesFixture.run(3) { nodes in
            let phone = try await TestPhone(nodes[0]).enrol(try nodes[0].nonce())
            try await giveGrants(3, to: phone.account, nodes)
            try await expectBoth(nodes)
            let (backend, meeting) = (HearingBackend(), Meeting(of: 2))
            let now = nodes.clock.now
            let heard = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<2 {
                    group.addTask {
                        let logouts = nodes[number].service.provider.logouts(through: backend)
                        return try await logouts.run(at: now) {
                            await meeting.arrive()
                            return true
                        }
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(heard == [3, 3])
            for node in nodes.nodes { #expect(try await node.service.provider.logouts(through: backend).run(at: now) == 0) }
            let tokens = try backend.heard.map { try UnverifiedJWS(compact: $0).claimed }
            let told = Dictionary(grouping: tokens.compactMap { $0["sid"]?.string }) { $0 }.mapValues(\.count)
            #expect(told.count == 3 && told.values.allSatisfy { $0 == 2 })
            #expect(Set(tokens.compactMap { $0["jti"]?.string }).count == 6)
        }
    }

    /// A client that listens, and has something of so many sessions that are gone.
    private func giveGrants(_ count: UInt8, to account: AccountID, _ nodes: NodesFixture) async throws {
        let (server, now) = (nodes[0].server, nodes.clock.now)
        var shop = OAuthProvider.Application(id: Sample.client, server: server, kind: .web, name: "Shop", authentication: .post)
        shop.secrets = [ClientSecret(hash: ClientSecret.hash(of: "secret-1"), expiresAt: nil)]
        shop.backchannelLogoutURI = "https://shop.example/logout"
        let application = shop
        try await SQLOAuthStore(database: nodes.databases[0], key: nodes.key).write { rows in
            try rows.save(application)
            for number in 1...count {
                try rows.save(
                    Grant(
                        id: Sample.grantID(number), server: server, client: Sample.client, holder: .device(account),
                        scopes: Sample.scopes("openid offline_access"), api: nil,
                        authentication: AuthenticationClaims(time: now, acr: "mfa", amr: ["mfa"]), nonce: nil, session: Sample.sessionID(number),
                        createdAt: now))
            }
        }
    }

    /// Has two nodes do the same, and none of them changes a row of this table before both have come as far as to change one.
    private func meet(at table: String, _ database: PostgreSQLDatabase, _ work: @Sendable @escaping (Int) async throws -> Void) async throws {
        let gate = DispatchedGate()
        defer { gate.open() }
        let (held, hold) = AsyncStream.makeStream(of: Void.self)
        let holding = Task {
            defer { hold.finish() }
            try await database.transaction { connection in
                _ = try connection.query("SELECT 1 AS one FROM \(table) FOR UPDATE")
                hold.yield()
                gate.wait()
            }
        }
        for await _ in held { break }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<2 { group.addTask { try await work(number) } }
            while try await Self.waiting(in: database) < 2 { try Task.checkCancellation() }
            gate.open()
            try await group.waitForAll()
        }
        try await holding.value
    }

    /// How many wait in this database for somebody who has locked something.
    private static func waiting(in database: PostgreSQLDatabase) async throws -> Int {
        try await database.read { connection in
            let question = "SELECT COUNT(*) AS found FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            return try connection.one(question)?.int("found") ?? 0
        }
    }
}

/// Where two come together before either goes on.
private actor Meeting {
    private let count: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(of count: Int) { self.count = count }

    func arrive() async {
        await withCheckedContinuation { continuation in
            waiting.append(continuation)
            guard waiting.count == count else { return }
            for one in waiting { one.resume() }
            waiting = []
        }
    }
}

/// A backend that keeps what it is told.
private final class HearingBackend: LogoutGateway {
    private let tokens = Mutex<[String]>([])

    var heard: [String] { tokens.withLock { $0 } }

    func send(_ logoutToken: String, to address: String) async -> Int? {
        tokens.withLock { $0.append(logoutToken) }
        return 200
    }
}
