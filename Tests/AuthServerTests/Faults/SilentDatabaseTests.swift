import Database
import HTTPTypes
import HummingbirdTesting
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// Attack 92: whoever has a database's server say nothing, to everybody or to those who commit.
@Suite("A database whose server does not answer", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct SilentDatabaseTests {
    @Test(
        "A92 commits wait for a standby that is not there: what writes is 503, getSession goes on, readiness says why, and it ends with its cause")
    func absentStandby() async throws {
        let cluster = try await PostgreSQLCluster()
        try await FaultyServers.run(on: cluster, settings: Self.hasty) { stage async throws in
            let phone = try await TestPhone(stage.servers).enrol(try stage.servers.nonce())
            let (known, before) = (stage.newNonce(), try await stage.counted())
            #expect(try await stage.newCode(known).status == .ok)
            try await cluster.change("synchronous_standby_names", to: "absent")
            for _ in 0..<3 { stage.expectOutage(try await stage.newCode()) }
            #expect(try await stage.getSession(known).status == .ok)
            #expect(try await stage.ready().status == .ok)
            let logins = try await stage.ready("?for=logins")
            #expect(logins.status == .serviceUnavailable && logins.said.contains(Self.unanswered), "\(logins.said)")
            // The other server has a database of its own, and something to keep in it.
            _ = try? await stage.secondFactor.database.transaction { try $0.execute("CREATE TABLE more (n BIGINT)") }
            let second = try await Self.wait(for: .serviceUnavailable) { try await stage.secondFactorReady() }
            #expect(second.contains(Self.unanswered), "\(second)")

            try await cluster.change("synchronous_standby_names", to: "")
            try await stage.recover()
            try await stage.expectLogin(phone, since: before)
            _ = try await Self.wait(for: .ok) { try await stage.ready("?for=logins") }
            _ = try await Self.wait(for: .ok) { try await stage.secondFactorReady() }
        }
    }

    private static let unanswered =
        "commits are not answered: is the synchronous standby there? They wait for it (synchronous_standby_names is absent)"

    @Test("A92 a halted server: getSession and readiness are 503, one call at a time asks it, and all goes on when it does, without a restart")
    func halted() async throws {
        let cluster = try await PostgreSQLCluster()
        try await FaultyServers.run(on: cluster, settings: Self.hasty) { stage async throws in
            let phone = try await TestPhone(stage.servers).enrol(try stage.servers.nonce())
            let (known, contest) = (stage.newNonce(), try await FaultContest(at: stage))
            #expect(try await stage.newCode(known).status == .ok)
            let running: Task<[Status], any Error> = try await cluster.halted {
                stage.expectOutage(try await stage.getSession(known))
                _ = stage.authentication.socket.takeConnections()
                try await withThrowingTaskGroup { group in
                    for _ in 0..<12 { group.addTask { stage.expectOutage(try await stage.getSession(known)) } }
                    try await group.waitForAll()
                }
                // With what nodes tell each other, which has a connection of its own.
                #expect(stage.authentication.socket.takeConnections() <= 4)
                stage.expectOutage(try await stage.newCode())
                let ready = try await stage.ready()
                #expect(ready.status == .serviceUnavailable && ready.said.contains("the database cannot be reached"), "\(ready.said)")
                #expect(try await stage.secondFactorReady().status == .serviceUnavailable)
                let running = contest.begin()
                stage.expectOutage(try await stage.getSession(known))
                try await contest.meet()
                return running
            }
            defer { running.cancel() }
            try await stage.recover()
            try await contest.expectOneWinner(running)
            #expect(try await stage.getSession(known).status == .ok)
            try await stage.expectLogin(phone, since: try await stage.counted())
            _ = try await Self.wait(for: .ok) { try await stage.ready("?full=1") }
        }
    }

    @Test("A92 the first host of a URL takes connections and never answers: each server asks it once, and all goes well with the second")
    func silentHost() async throws {
        let (cluster, silent) = (try await PostgreSQLCluster.shared, try SilentSocket())
        var settings = PostgreSQLSettings.forFaults
        (settings.connections, settings.connectTimeout) = (4, 6_000)
        try await FaultyServers.run(hosts: [silent.socketFolder, cluster.folder], settings: settings) { stage async throws in
            let phone = try await TestPhone(stage.servers).enrol(try stage.servers.nonce())
            try await stage.expectLogin(phone)
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        let status = try await stage.newCode().status
                        #expect(status == .ok)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await stage.ready("?for=logins").status == .ok)
            #expect(silent.connections == 2)
        }
    }

    /// Waits for a server that says nothing for as long as an idle machine needs. A call that has found its connection silent has the time to find out that
    /// the server is.
    private static var hasty: PostgreSQLSettings {
        var settings = PostgreSQLSettings.forFaults
        (settings.silence, settings.connectTimeout, settings.callTime) = (1_500, 4_000, 12_000)
        return settings
    }

    /// What readiness says when it has come to this: an answer of before holds for five seconds.
    private static func wait(
        for status: HTTPResponse.Status, _ ask: () async throws -> (status: HTTPResponse.Status, said: String)
    ) async throws -> String {
        while true {
            let answer = try await ask()
            if answer.status == status { return answer.said }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
