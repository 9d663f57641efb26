import Database
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryTesting
import Testing

@testable import AuthServer

/// Attack 92: whoever has a database refuse its servers; the operator is told why, and nobody else.
@Suite("A database whose server refuses", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct RefusingDatabaseTests {
    @Test(
        "A92 the first request that meets it, and readiness of both servers, say why: a line when it begins, one when the reason changes, one when it is over; callers hear none of it"
    )
    func reasons() async throws {
        let (cluster, log) = (try await PostgreSQLCluster(), LogRecorder())
        try await FaultyServers.run(on: cluster, log: log) { stage async throws in
            let phone = try await TestPhone(stage.servers).enrol(try stage.servers.nonce())
            let known = stage.newNonce()
            #expect(try await stage.newCode(known).status == .ok)
            let names = [stage.authentication.name, stage.secondFactor.name]
            #expect(Self.lines(log, "a readiness check failed") == 0)

            try await Self.change(cluster, names, "ALLOW_CONNECTIONS false")
            let closed = "is not currently accepting connections"
            // The first who meets it has it told, before anybody asks for readiness.
            stage.expectOutage(try await stage.getSession(known))
            let met = log.lines("requests fail until this is mended").compactMap { $0.facts["error"] }
            #expect(met.count == 1 && met[0].hasPrefix("the database cannot be reached (") && met[0].contains(closed), "\(met)")
            try await Self.expectRefusal(stage, known, saying: closed)
            #expect(Self.lines(log, "a readiness check failed", saying: closed) == 2)

            try await Self.change(cluster, names, "ALLOW_CONNECTIONS true", "SET default_transaction_read_only = on")
            let readsOnly = "default_transaction_read_only is on"
            try await Self.expectRefusal(stage, known, saying: readsOnly)
            #expect(Self.lines(log, "a readiness check failed", saying: readsOnly) == 2)
            #expect(Self.lines(log, "a readiness check failed") == 4 && Self.lines(log, "a readiness check passes again") == 0)

            try await cluster.run(names.map { "ALTER DATABASE \($0) RESET default_transaction_read_only" })
            try await stage.recover()
            #expect(try await stage.getSession(known).status == .ok)
            try await stage.expectLogin(phone)
            for _ in 0..<3 { #expect(try await stage.ready().status == .ok) }
            while try await stage.secondFactorReady().status != .ok { try await Task.sleep(for: .milliseconds(100)) }
            #expect(Self.lines(log, "a readiness check failed") == 4 && Self.lines(log, "a readiness check passes again") == 2)
        }
    }

    @Test("A92 a key gone beneath a server that runs: 503, readiness for logins says what makes it, that for getSession goes on; the key mends it")
    func keyGone() async throws {
        let log = LogRecorder()
        try await FaultyServers.run(log: log) { stage async throws in
            let known = stage.newNonce()
            for nonce in [known, nil] { #expect(try await stage.newCode(nonce).status == .ok) }
            let place = stage.authentication.name
            try await stage.cluster.run(["ALTER TABLE session DROP CONSTRAINT session_pkey CASCADE"], in: place)
            for _ in 0..<2 {
                let answer = try await stage.newCode()
                stage.expectOutage(answer)
                #expect(!String(buffer: answer.body).contains("schema"))
            }
            #expect(try await stage.getSession(known).status == .ok)
            #expect(try await stage.ready().status == .ok)
            let (status, said) = try await stage.ready("?for=logins")
            #expect(status == .serviceUnavailable && said.contains("(the primary key of session: ALTER TABLE"), "\(said)")
            #expect(said.contains(#""disk":""#) && said.contains("a server that runs goes on by itself"), "\(said)")
            #expect(log.lines("request failed").isEmpty)
            let met = log.lines("requests fail until this is mended").compactMap { $0.facts["error"] }
            #expect(met.count { $0.contains("has not all that its schema has") } == 1, "\(met)")
            try await stage.cluster.run(["ALTER TABLE session ADD PRIMARY KEY (id)"], in: place)
            try await stage.recover()
            // What was said holds for two seconds.
            while try await stage.ready("?for=logins").said.contains(#""disk":""#) { try Task.checkCancellation() }
        }
    }

    @Test("A92 tables gone beneath servers that run, by a database made anew: 503, and each says once why and what to do; callers hear none of it")
    func tablesGone() async throws {
        let log = LogRecorder()
        try await FaultyServers.run(log: log) { stage async throws in
            let known = stage.newNonce()
            #expect(try await stage.newCode(known).status == .ok)
            let names = [stage.authentication.name, stage.secondFactor.name]
            try await stage.cluster.run(names.flatMap { ["DROP DATABASE \($0) WITH (FORCE)", "CREATE DATABASE \($0)"] })
            let beginning = "a table of this server is not there in the database "
            for answer in [try await stage.getSession(known), try await stage.newCode()] {
                stage.expectOutage(answer)
                #expect(!String(buffer: answer.body).contains("is not there"))
            }
            let met = log.lines("requests fail until this is mended").compactMap { $0.facts["error"] }
            #expect(met.count { $0.hasPrefix(beginning) } == 1, "\(met)")
            for _ in 0..<2 {
                for (status, said) in [try await stage.ready(), try await stage.ready("?for=logins"), try await stage.secondFactorReady()] {
                    #expect(status == .serviceUnavailable && said.contains(beginning), "\(said)")
                    #expect(said.contains("stop the server, restore a backup, start it again"), "\(said)")
                }
            }
            // One of each server, whatever checks met it.
            let told = log.lines("a readiness check failed").compactMap { $0.facts["reason"] }.filter { $0.hasPrefix(beginning) }
            #expect(told.count == 2 && told.first != told.last, "\(told)")
            #expect(log.lines("request failed").isEmpty)
        }
    }

    /// Lines of the check `database`.
    private static func lines(_ log: LogRecorder, _ message: String, saying words: String = "") -> Int {
        log.lines(message).count { $0.facts["work"] == "database" && (words.isEmpty || $0.facts["reason"]?.contains(words) == true) }
    }

    /// Changes both databases, and ends all connections to them.
    private static func change(_ cluster: PostgreSQLCluster, _ names: [String], _ changes: String...) async throws {
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        try await cluster.run(
            names.flatMap { name in changes.map { "ALTER DATABASE \(name) \($0)" } }
                + ["SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname IN (\(list))"])
    }

    /// Both say it to whoever asks for readiness, however often, and to nobody else.
    private static func expectRefusal(_ stage: FaultyServers, _ nonce: String, saying words: String) async throws {
        let beginning = "the database cannot be reached ("
        for _ in 0..<3 {
            for answer in [try await stage.getSession(nonce), try await stage.newCode()] {
                stage.expectOutage(answer)
                let body = String(buffer: answer.body)
                #expect(!body.contains(words) && !body.contains(beginning), "\(body)")
            }
            for (status, said) in [try await stage.ready(), try await stage.ready("?for=logins"), try await stage.secondFactorReady()] {
                #expect(status == .serviceUnavailable && said.contains(beginning) && said.contains(words), "\(said)")
            }
        }
    }
}
