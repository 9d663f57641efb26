import Authentication
import Database
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import AuthServer

/// Attack 92: whoever takes from a database's server what it has only so much of, or is far from it.
@Suite("A database whose server has no room, no place or no time", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct ScarceDatabaseTests {
    @Test("A92 others have every connection: with those it has a server goes on, without one it is 503 until they let go")
    func tooManyConnections() async throws {
        let cluster = try await PostgreSQLCluster(settings: ["max_connections = 14"])
        try await FaultyServers.run(on: cluster) { stage async throws in
            let phone = try await TestPhone(stage.servers).enrol(try stage.servers.nonce())
            let before = try await stage.counted()
            let crowd = try await Self.crowd(of: cluster)
            try await stage.expectLogin(phone, since: before)
            let contest = try await FaultContest(at: stage)
            try await Self.endConnections(of: stage, through: crowd)
            let others = try await Self.crowd(of: cluster)
            stage.expectOutage(try await stage.newCode())
            stage.expectOutage(try await stage.getSession(stage.newNonce()))
            for said in [try await stage.ready().said, try await stage.ready("?for=logins").said, try await stage.secondFactorReady().said] {
                #expect(said.contains("the database cannot be reached (") && said.contains("connection"), "\(said)")
            }
            try await contest.expectOneWinner {
                stage.expectOutage(try await stage.newCode())
                await crowd.close()
                await others.close()
                try await stage.recover()
            }
            try await stage.expectLogin(phone, since: try await stage.counted())
            #expect(try await stage.ready().status == .ok)
        }
    }

    /// Takes whatever connections are left.
    private static func crowd(of cluster: PostgreSQLCluster) async throws -> PostgreSQLDatabase {
        var settings = PostgreSQLSettings.forTests
        settings.connections = 30
        // A connection that was just ended has its place a moment longer.
        var opened: PostgreSQLDatabase?
        while opened == nil {
            try Task.checkCancellation()
            opened = try? await cluster.open("postgres", settings: settings)
        }
        let crowd = try #require(opened)
        // Each of them wants a connection of its own; those that get none try again with the next.
        for _ in 0..<4 {
            await withTaskGroup { group in
                for _ in 0..<40 { group.addTask { try? await crowd.read { _ = try $0.query("SELECT pg_sleep(0.05)::text") } } }
                await group.waitForAll()
            }
        }
        return crowd
    }

    /// Ends what both servers have, by one of the crowd that has a connection.
    private static func endConnections(of stage: FaultyServers, through crowd: PostgreSQLDatabase) async throws {
        let names = "('\(stage.authentication.name)', '\(stage.secondFactor.name)')"
        let end = "SELECT COUNT(pg_terminate_backend(pid)) AS found FROM pg_stat_activity WHERE datname IN \(names)"
        while (try? await crowd.read { try $0.one(end)?.int("found") }) != 0 { try Task.checkCancellation() }
    }

    @Test(
        "A92 a full disk: what writes is 503 and changes nothing, getSession goes on, readiness for logins says why, and room mends it",
        .enabled(if: PostgreSQLCluster.canHaveSmallDisk, "mounting needs rights that this user has not"))
    func fullDisk() async throws {
        let cluster = try await PostgreSQLCluster(smallDisk: 48)
        try await FaultyServers.run(on: cluster, options: "TABLESPACE small") { stage async throws in
            let phone = try await TestPhone(stage.servers).enrol(try stage.servers.nonce())
            let (known, contest) = (stage.newNonce(), try await FaultContest(at: stage))
            #expect(try await stage.newCode(known).status == .ok)
            #expect(try await stage.longCode().status == .ok)
            try await cluster.fillSmallDisk()
            // What is left of pages that are there takes some rows yet.
            var refused: TestResponse?
            for _ in 0..<200 where refused == nil {
                let answer = try await stage.longCode()
                if answer.status != .ok { refused = answer }
            }
            stage.expectOutage(try #require(refused))
            let sessions = try await Self.sessions(stage)
            stage.expectOutage(try await stage.longCode())
            #expect(try await Self.sessions(stage) == sessions)
            #expect(try await stage.getSession(known).status == .ok)
            #expect(try await stage.ready().status == .ok)
            let logins = try await stage.ready("?for=logins")
            #expect(logins.status == .serviceUnavailable && logins.said.contains("is full"), "\(logins.said)")
            try await Self.useUpReplays(of: stage)
            try await contest.expectOneWinner { try await cluster.emptySmallDisk() }
            #expect(try await stage.longCode().status == .ok)
            try await stage.servers.database.checkWritable(AuthenticationSchema.tables.names)
            try await stage.expectLogin(phone, since: try await stage.counted())
        }
    }

    /// What is left of pages for the marks of requests, one of which each try and each stop leaves: so none of them has room from now on. That a page of the
    /// index is full says nothing of the next mark, so it ends when many in a row had no room.
    private static func useUpReplays(of stage: FaultyServers) async throws {
        let marks = """
            DO $$ DECLARE refused int := 0; BEGIN WHILE refused < 200 LOOP
                BEGIN
                    INSERT INTO replay (key, until) VALUES (decode(md5(random()::text), 'hex'), 9000000000);
                    refused := 0;
                EXCEPTION WHEN disk_full THEN refused := refused + 1; END;
            END LOOP; END $$
            """
        try await stage.cluster.run([marks], in: stage.authentication.name, isQuiet: true)
    }

    @Test(
        "A92 a full disk of the second-factor server: nothing is evaluated that is not counted, readiness says why, and with room the right PIN logs in",
        .enabled(if: PostgreSQLCluster.canHaveSmallDisk, "mounting needs rights that this user has not"))
    func fullDiskOfSecondFactor() async throws {
        let cluster = try await PostgreSQLCluster(smallDisk: 48)
        try await FaultyServers.run(on: cluster, secondFactor: "TABLESPACE small") { stage async throws in
            let servers = stage.servers
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            var contest = try await FaultContest(at: stage)
            let before = try await stage.counted()
            try await cluster.fillSmallDisk()
            // What is left of pages that are there takes some tries yet.
            var refused: Status?
            var logins = 0
            while refused == nil, logins < 500 {
                servers.clock.advance(1)
                let nonce = try servers.nonce()
                let shown = try await phone.scan(try await servers.link(nonce))
                refused = await servers.refusal { try await shown.logInByPIN() }
                guard refused == nil else { break }
                try #require(try await servers.status(of: nonce).loggedIn)
                logins += 1
            }
            #expect(refused == .secondFactorUnavailable)
            // Of the last one the number, or that and the proof, had no room.
            let full = try await stage.counted()
            let (tries, proved) = (full.highest - before.highest, full.proven - before.proven)
            #expect(full.evaluations == full.highest && proved == logins && tries - logins <= 1, "\(logins) \(full)")
            // A check that passed before the disk was full holds for five seconds.
            var ready = try await stage.secondFactorReady()
            while ready.status == .ok {
                try Task.checkCancellation()
                try await Task.sleep(for: .milliseconds(50))
                ready = try await stage.secondFactorReady()
            }
            #expect(ready.status == .serviceUnavailable && ready.said.contains("is full"), "\(ready.said)")
            try await contest.renew()
            try await contest.expectOneWinner { try await cluster.emptySmallDisk() }
            servers.clock.advance(11)
            try await stage.expectLogin(phone, since: try await stage.counted())
            try await servers.secondFactorDatabase.checkWritable([])
        }
    }

    private static func sessions(_ stage: FaultyServers) async throws -> Int {
        try await stage.servers.database.read { try $0.one("SELECT COUNT(*) AS found FROM session")?.int("found") ?? -1 }
    }

    @Test("A92 somebody holds the sessions: getSession goes on, what writes is 503 until they let go, and readiness for logins says so")
    func heldSessions() async throws {
        try await FaultyServers.run(settings: Self.impatient) { stage async throws in
            let phone = try await TestPhone(stage.servers).enrol(try stage.servers.nonce())
            let (known, contest) = (stage.newNonce(), try await FaultContest(at: stage))
            #expect(try await stage.newCode(known).status == .ok)
            try await TableHolder.with("session", at: stage.cluster.address(of: stage.authentication.name), mode: "EXCLUSIVE") { holder in
                for _ in 0..<2 { stage.expectOutage(try await stage.newCode()) }
                #expect(try await stage.getSession(known).status == .ok)
                #expect(try await stage.ready().status == .ok)
                let logins = try await stage.ready("?for=logins")
                #expect(logins.status == .serviceUnavailable && logins.said.contains("locked by another process"), "\(logins.said)")
                try await contest.expectOneWinner { try await holder.letGo() }
            }
            #expect(try await stage.newCode().status == .ok)
            try await stage.expectLogin(phone)
        }
    }

    @Test("Somebody holds what only starts write: logins go on, and readiness for logins says so")
    func heldAppliedSettings() async throws {
        try await FaultyServers.run(settings: Self.impatient) { stage async throws in
            let phone = try await TestPhone(stage.servers).enrol(try stage.servers.nonce())
            try await TableHolder.with("applied_setting", at: stage.cluster.address(of: stage.authentication.name), mode: "EXCLUSIVE") { _ in
                let logins = try await stage.ready("?for=logins")
                #expect(logins.status == .ok, "\(logins.said)")
                try await stage.expectLogin(phone)
            }
        }
    }

    @Test(
        "A92 somebody holds what getSession reads against readers too: it is 503, and readiness says so, until they let go",
        arguments: ["session", "nonce"])
    func heldAgainstReaders(_ table: String) async throws {
        try await FaultyServers.run(settings: Self.impatient) { stage async throws in
            let known = stage.newNonce()
            #expect(try await stage.newCode(known).status == .ok)
            #expect(try await stage.ready().status == .ok)
            try await TableHolder.with(table, at: stage.cluster.address(of: stage.authentication.name)) { _ in
                stage.expectOutage(try await stage.getSession(known))
                let ready = try await stage.ready()
                #expect(ready.status == .serviceUnavailable && ready.said.contains("database"), "\(ready.said)")
            }
            #expect(try await stage.getSession(known).status == .ok)
            #expect(try await stage.ready().status == .ok)
        }
    }

    @Test("A92 somebody holds the instances: a PIN is not tried, nothing is counted, and the same try goes on when they let go")
    func heldInstances() async throws {
        try await FaultyServers.run(settings: Self.impatient) { stage async throws in
            let servers = stage.servers
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let shown = try await phone.scan(try await servers.link(try servers.nonce()))
            let attempt = try shown.attempt()
            let calls = Calls()
            servers.secondFactor.listen { calls.note($0) }
            try await TableHolder.with("instance", at: stage.cluster.address(of: stage.secondFactor.name), mode: "EXCLUSIVE") { _ in
                #expect(await servers.refusal { try await shown.logInByPIN() } == .secondFactorUnavailable)
                servers.clock.advance(11)
                #expect(try await phone.phone.evaluate(attempt).status == .secondFactorUnavailable)
                let call = try #require(calls.last)
                stage.expectOutage(
                    try await servers.secondFactor.client.execute(uri: "/sf/call", method: .post, body: ByteBuffer(bytes: call)) { $0 })
                var ready = try await stage.secondFactorReady()
                // A good answer of before holds for five seconds.
                while ready.status == .ok {
                    try await Task.sleep(for: .milliseconds(100))
                    ready = try await stage.secondFactorReady()
                }
                #expect(ready.status == .serviceUnavailable && ready.said.contains("locked by another process"), "\(ready.said)")
            }
            servers.secondFactor.listen(nil)
            #expect(try await stage.counted() == (evaluations: 0, highest: 0, proven: 0))
            #expect(try await phone.phone.evaluate(attempt).status == .ok)
            #expect(try await stage.counted() == (evaluations: 1, highest: 1, proven: 0))
        }
    }

    @Test("A92 somebody holds the instances while phones are at one code: one wins when they let go, by one try, and a stop meanwhile is one at once")
    func contestUnderHeldInstances() async throws {
        try await FaultyServers.run(settings: Self.impatient) { stage async throws in
            let contest = try await FaultContest(at: stage)
            try await TableHolder.with("instance", at: stage.cluster.address(of: stage.secondFactor.name), mode: "EXCLUSIVE") { holder in
                try await contest.expectOneWinner {
                    // The other server has its own database.
                    try await contest.expectStopped()
                    try await holder.letGo()
                }
            }
        }
    }

    @Test("Over a network of 20 ms each way all works, and a login takes the same ways there and back each time: it waits for each of them")
    func slowNetwork() async throws {
        var settings = PostgreSQLSettings.forFaults
        // One connection has met each statement after the second login.
        settings.connections = 1
        try await FaultyServers.run(settings: settings) { stage async throws in
            let phone = try await TestPhone(stage.servers).enrol(try stage.servers.nonce())
            let (places, before) = ([stage.authentication, stage.secondFactor], try await stage.counted())
            var counts: [[Int]] = []
            for number in 0..<4 {
                if number == 3 { for place in places { place.socket.slow(by: 20) } }
                stage.servers.clock.advance(1)
                for place in places {
                    // Behind what ends the read before, for which nobody waits.
                    try await place.database.transaction { _ in }
                    _ = place.socket.takeTurns()
                }
                try await stage.expectLogin(phone)
                for place in places { try await place.database.transaction { _ in } }
                counts.append(places.map { $0.socket.takeTurns() })
            }
            #expect(counts[3] == counts[2], "\(counts)")
            let after = try await stage.counted()
            #expect(after.evaluations == before.evaluations + 4 && after.highest == before.highest + 4 && after.proven == after.highest, "\(after)")
            // Login, getSession, stop and getSession again; more is a bill of 40 ms each for everybody whose database is in another town.
            #expect(counts[3][0] <= 48 && counts[3][1] <= 24, "\(counts)")
        }
    }

    @Test("Over a network of 20 ms each way phones are at one code: nobody is refused, one wins, by one try, and a stop meanwhile stays one")
    func slowContest() async throws {
        try await FaultyServers.run { stage async throws in
            let (contest, places) = (try await FaultContest(at: stage), [stage.authentication, stage.secondFactor])
            for place in places {
                place.socket.slow(by: 20)
                _ = place.socket.takeTurns()
            }
            let running = contest.begin()
            defer { running.cancel() }
            _ = try await running.value
            for place in places {
                #expect(place.socket.takeTurns() > 0)
                place.socket.slow(by: 0)
            }
            try await contest.expectOneWinner(running, isRefused: false)
        }
    }

    /// Waits for nobody's lock for long.
    private static var impatient: PostgreSQLSettings {
        var settings = PostgreSQLSettings.forFaults
        settings.lockTimeout = 200
        return settings
    }
}

/// The calls that the second-factor server was sent.
private final class Calls: Sendable {
    private let state = Mutex<[UInt8]?>(nil)

    var last: [UInt8]? { state.withLock { $0 } }

    func note(_ call: [UInt8]) { state.withLock { $0 = call } }
}
