import Database
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import SecondFactor
import SecondFactorServer
import Testing

/// A database that answers, beneath a server that can check no PIN by it.
@Suite("A second-factor server whose tables are kept from it, or gone", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct UnreadableTablesTests {
    @Test(
        "A92 a role that lost its right on a table of a try: the second-factor server is not ready and says which, a signed probe hears it, and the same try goes on with the right",
        arguments: ["instance", "attempt", "pending_key"])
    func otherOwner(_ table: String) async throws {
        try await Self.run { stage, place in
            let call = try await Self.call(of: stage)
            #expect(try await Self.ready(stage).status == .ok)
            try await place.run("ALTER TABLE \(table) OWNER TO ostiary")
            try await Self.expectUnready(stage, saying: "has not the right", "permission denied for table \(table)")
            try await Self.expectRefused(call, at: stage)
            try await place.run("ALTER TABLE \(table) OWNER TO \(place.role)")
            #expect(try await Self.ready(stage).status == .ok)
            #expect(try await stage.answer(call).status == .ok)
        }
    }

    @Test(
        "A92 a role that may read a table of a try and not write to it: the second-factor server is not ready and says which and what to do, and a signed probe hears it",
        arguments: [("instance", "INSERT, UPDATE"), ("attempt", "INSERT, UPDATE, DELETE"), ("pending_key", "INSERT, UPDATE, DELETE")])
    func readOnly(_ table: String, _ rights: String) async throws {
        try await Self.run { stage, place in
            try await place.run("ALTER TABLE \(table) OWNER TO ostiary")
            try await place.run("GRANT SELECT ON \(table) TO \(place.role)")
            let (status, said) = try await Self.ready(stage)
            #expect(status == .serviceUnavailable && said.contains("it lacks \(rights) on the table \(table)"), "\(said)")
            #expect(said.contains("make it the owner again of all that this server made there"), "\(said)")
            #expect(try await Self.probe(stage) == .secondFactorUnavailable)
            try await place.run("ALTER TABLE \(table) OWNER TO \(place.role)")
            // What was said holds for two seconds.
            while try await Self.ready(stage).status != .ok { try Task.checkCancellation() }
            #expect(try await Self.probe(stage) == .ok)
        }
    }

    @Test(
        "A92 each right that statements need is asked for by itself: without one the second-factor server is not ready and says which, and a probe hears it",
        arguments: [
            ("instance", "UPDATE"), ("attempt", "DELETE"), ("attempt", "UPDATE"), ("pending_key", "INSERT"), ("reset_log", "SELECT"),
        ])
    func oneRight(_ table: String, _ right: String) async throws {
        try await Self.run { stage, place in
            try await place.run("REVOKE \(right) ON \(table) FROM \(place.role)")
            let (status, said) = try await Self.ready(stage)
            #expect(status == .serviceUnavailable && said.contains("it lacks \(right) on the table \(table)"), "\(said)")
            #expect(try await Self.probe(stage) == .secondFactorUnavailable)
        }
    }

    @Test("A right that no statement needs may be missing: rows that stay for good are kept from being removed, those of a log from being changed")
    func spareRights() async throws {
        try await Self.run { stage, place in
            let call = try await Self.call(of: stage)
            try await place.run("REVOKE DELETE ON instance, own_operator_key, own_root FROM \(place.role)")
            try await place.run("REVOKE UPDATE ON reset_log, own_root FROM \(place.role)")
            let (status, said) = try await Self.ready(stage)
            #expect(status == .ok, "\(said)")
            #expect(try await stage.answer(call).status == .ok)
            #expect(try await Self.probe(stage) == .ok)
        }
    }

    @Test("A table that no try reads is gone: it is not ready and says which and what to do, and a signed probe hears it")
    func goneUnread() async throws {
        try await Self.run { stage, place in
            try await place.run("DROP TABLE reset_log")
            let (status, said) = try await Self.ready(stage)
            #expect(status == .serviceUnavailable && said.contains("(reset_log), which was made anew or restored beneath the server"), "\(said)")
            #expect(!said.contains(#""database":""#) && said.contains("stop the server, restore a backup, start it again"), "\(said)")
            #expect(try await Self.probe(stage) == .secondFactorUnavailable)
        }
    }

    @Test("Its tables gone beneath it, or one of them: it is not ready and says what to do, and a signed probe hears it", arguments: [true, false])
    func gone(_ areAll: Bool) async throws {
        try await Self.run { stage, place in
            let call = try await Self.call(of: stage)
            #expect(try await Self.ready(stage).status == .ok)
            try await place.run(areAll ? "DROP OWNED BY \(place.role)" : "DROP TABLE attempt")
            try await Self.expectUnready(stage, saying: "a table of this server is not there", "stop the server, restore a backup, start it again")
            try await Self.expectRefused(call, at: stage)
        }
    }

    @Test("A92 the key of a table of a try is gone: it is not ready and says what makes it, a signed probe hears it; the try goes on with the key")
    func keyGone() async throws {
        try await Self.run { stage, place in
            let call = try await Self.call(of: stage)
            try await place.run("ALTER TABLE attempt DROP CONSTRAINT attempt_pkey CASCADE")
            let (status, said) = try await Self.ready(stage)
            #expect(status == .serviceUnavailable && said.contains("(the primary key of attempt: ALTER TABLE"), "\(said)")
            #expect(said.contains(#""disk":""#) && said.contains("makes none by itself; a server that runs goes on by itself"), "\(said)")
            try await Self.expectRefused(call, at: stage)
            try await place.run("ALTER TABLE attempt ADD PRIMARY KEY (id)")
            // What was said holds for two seconds.
            while try await Self.ready(stage).status != .ok { try Task.checkCancellation() }
            #expect(try await stage.answer(call).status == .ok)
            #expect(try await Self.probe(stage) == .ok)
        }
    }

    /// The try of a phone that has a PIN, not sent yet.
    private static func call(of stage: ServerFixture) async throws -> [UInt8] {
        let phone = try RawPhone("before")
        try await stage.enrol(phone)
        let asked = try phone.ask(try phone.question(), try await stage.identity(), at: stage.now)
        return stage.server.ticketCall(asked, sequence: 1, at: stage.now)
    }

    private static func ready(_ stage: ServerFixture) async throws -> (status: HTTPResponse.Status, said: String) {
        let answer = try await stage.client.execute(uri: "/ready", method: .get)
        return (answer.status, String(buffer: answer.body))
    }

    /// Under `database`, and as often as somebody asks.
    private static func expectUnready(_ stage: ServerFixture, saying words: String...) async throws {
        for _ in 0..<2 {
            let (status, said) = try await ready(stage)
            #expect(status == .serviceUnavailable && said.contains(#""database":""#), "\(said)")
            for word in words { #expect(said.contains(word), "\(said)") }
        }
    }

    /// An outage for whoever sends it, and for the server that probes.
    private static func expectRefused(_ call: [UInt8], at stage: ServerFixture) async throws {
        let (status, body) = try await stage.post(call)
        #expect(status == .serviceUnavailable && String(decoding: body, as: UTF8.self).contains("storage_unavailable"))
        #expect(try await probe(stage) == .secondFactorUnavailable)
    }

    /// What a signed probe hears.
    private static func probe(_ stage: ServerFixture) async throws -> Status {
        let nonce = SystemRandomSource().bytes(16)
        let probe = Encoded(Probe(serverID: stage.server.serverID, nonce: nonce, time: stage.now), signedBy: stage.server.operatorKey)
        return try await stage.answer(stage.server.call(probe.bytes)).status
    }
}

extension UnreadableTablesTests {
    /// The database, and the role of the server, which may do there what it needs and is no superuser.
    private struct Place: Sendable {
        let cluster: PostgreSQLCluster
        let name: String
        let role: String

        /// Runs a statement as the superuser.
        func run(_ statement: String) async throws { try await cluster.run([statement], in: name) }
    }

    private static func run(_ body: @escaping @Sendable (ServerFixture, Place) async throws -> Void) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        let place = Place(cluster: cluster, name: name, role: "keeper_\(name)")
        try await place.run("CREATE ROLE \(place.role) LOGIN")
        try await place.run("GRANT ALL ON SCHEMA public TO \(place.role)")
        let database = try await open(cluster.address(of: name, as: place.role))
        try await ServerFixture.run(on: database, ServerFixture.Setting()) { stage in try await body(stage, place) }
        await database.close()
        for statement in ["DROP OWNED BY \(place.role)", "DROP ROLE \(place.role)"] { try await place.run(statement) }
    }

    private static func open(_ address: PostgreSQLAddress) async throws -> PostgreSQLDatabase {
        try await onOwnThread { try PostgreSQLDatabase.open(address, settings: .forTests) }
    }
}
