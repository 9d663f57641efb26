import Authentication
import HTTPTypes
import HummingbirdTesting
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// Attack 91: whoever can end the server of a database, in the middle of logins.
@Suite("A database whose server is ended by force", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct KilledDatabaseTests {
    @Test("A91 kill -9 in the middle of eight logins of four codes: each code has one winner, no try is lost or won, and all goes on by itself")
    func restarted() async throws {
        let cluster = try await PostgreSQLCluster()
        try await FaultyServers.run(on: cluster) { stage async throws in
            let servers = stage.servers
            let phones = try await Self.phones(8, of: servers)
            let stopped = try await Self.stopped(stage, phones[0])
            let nonces = (0..<4).map { _ in stage.newNonce() }
            var links: [Encoded<LoginLink>] = []
            for nonce in nonces { links.append(try await servers.link(SessionNonce(nonce))) }
            let (before, calls) = (try await stage.counted(), servers.secondFactor.calls)

            let running = Task { [links] in try await Self.logIn(phones, links) }
            while servers.secondFactor.calls < calls + 2 { await Task.yield() }
            try cluster.kill()
            try await Self.expectOutage(of: stage)
            try await cluster.restart()
            let outcomes = try await running.value

            for (number, nonce) in nonces.enumerated() {
                let pair = [outcomes[number * 2], outcomes[number * 2 + 1]]
                #expect(pair.count { $0 == .ok } == 1, "\(pair)")
                #expect(pair.allSatisfy { [.ok, .sessionTaken, .sessionOver].contains($0) }, "\(pair)")
                #expect(try await servers.status(of: SessionNonce(nonce)).loggedIn)
            }
            #expect(try await servers.status(of: SessionNonce(stopped)).loggedIn == false)
            let after = try await stage.counted()
            #expect(after.evaluations - before.evaluations == 4 && after.highest - before.highest == 4 && after.proven == after.highest, "\(after)")
            #expect(try await stage.ready().status == .ok)
            _ = try await Self.stopped(stage, phones[0])
        }
    }

    @Test("A91 failover to a synchronous standby: stops and tries that were acknowledged are there, and both servers find it without a restart")
    func failover() async throws {
        let cluster = try await PostgreSQLCluster()
        try await FaultyServers.run(on: cluster, hosts: [cluster.folder, cluster.standbyFolder]) { stage async throws in
            let servers = stage.servers
            let phones = try await Self.phones(2, of: servers)
            try await cluster.startStandby(isSynchronous: true)
            let stopped = try await Self.stopped(stage, phones[0])
            let stays = try await stage.logIn(phones[0]).nonce
            for _ in 0..<2 { #expect(try await phones[1].guessPatiently(servers.link(servers.nonce())) == .ok) }
            let contest = try await FaultContest(at: stage)

            // With the first try that is on its way to be counted.
            servers.secondFactor.listen { [transport = servers.secondFactor] _ in
                transport.listen(nil)
                try? cluster.kill()
            }
            let running = contest.begin()
            defer { running.cancel() }
            try await Self.expectOutage(of: stage)
            try await contest.meet()
            try await cluster.promoteStandby()
            try await stage.recover()
            try await contest.expectOneWinner(running)
            let before = try await stage.counted()
            #expect(try await phones[1].guessPatiently(servers.link(servers.nonce())) == .ok)
            #expect(try await servers.status(of: SessionNonce(stopped)).loggedIn == false)
            #expect(try await servers.status(of: SessionNonce(stays)).loggedIn)
            let after = try await stage.counted()
            #expect(after.highest == before.highest + 1 && after.proven == before.proven && after.evaluations == before.evaluations + 1)
            // The third wrong try has its penalty there, too.
            #expect(try await phones[1].guessPatiently(servers.link(servers.nonce())) == .penalised)
            #expect(try await stage.ready().status == .ok)
            #expect(try await stage.newCode().status == .ok)
            _ = try await Self.stopped(stage, phones[0])
        }
    }

    private static func phones(_ number: Int, of servers: ServersFixture) async throws -> [EnrolledPhone] {
        var phones: [EnrolledPhone] = []
        for index in 0..<number { phones.append(try await TestPhone(servers).enrol(try servers.nonce(), userID: "person \(index)")) }
        return phones
    }

    /// A login that was ended, and its end acknowledged.
    /// - Returns: its nonce.
    private static func stopped(_ stage: FaultyServers, _ phone: EnrolledPhone) async throws -> String {
        let (nonce, session) = try await stage.logIn(phone)
        try await phone.stopPatiently(session)
        return nonce
    }

    /// Two phones at each link, all at once.
    private static func logIn(_ phones: [EnrolledPhone], _ links: [Encoded<LoginLink>]) async throws -> [Status] {
        try await withThrowingTaskGroup { group in
            for (number, phone) in phones.enumerated() {
                group.addTask {
                    let status = try await phone.logInPatiently(links[number / 2]).status
                    return (number, status)
                }
            }
            return try await group.reduce(into: [Int: Status]()) { $0[$1.0] = $1.1 }.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    /// Until the last of the server's processes has gone what was begun there may be answered.
    private static func expectOutage(of stage: FaultyServers) async throws {
        while try await stage.newCode().status == .ok { try Task.checkCancellation() }
        stage.expectOutage(try await stage.newCode())
        stage.expectOutage(try await stage.getSession(stage.newNonce()))
        let ready = try await stage.ready()
        #expect(ready.status == .serviceUnavailable && ready.said.contains(#""database":"the database cannot be reached"#), "\(ready.said)")
        #expect(try await stage.secondFactorReady().status == .serviceUnavailable)
    }
}
