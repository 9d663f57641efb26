import Database
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import SecondFactor
import Testing

@testable import SecondFactorServer

@Suite("Probe over the wire")
struct ProbeTests {
    private static func probe(
        by server: AuthenticationServerDouble, as id: ServerID? = nil, key: OperatorKey? = nil, at time: Instant
    ) -> Encoded<Probe> {
        let nonce = SystemRandomSource().bytes(16)
        return Encoded(Probe(serverID: id ?? server.serverID, nonce: nonce, time: time), signedBy: key ?? server.operatorKey)
    }

    @Test("A signed probe is told that all is well, changes no row, and its answer belongs to it alone")
    func answered() async throws {
        let database = try openInMemory()
        try await ServerFixture.run(on: database, ServerFixture.Setting()) { stage in
            try await stage.enrol(try RawPhone("beside"))
            let before = try await rows(of: database)
            let (first, second) = (Self.probe(by: stage.server, at: stage.now), Self.probe(by: stage.server, at: stage.now))
            for probe in [first, second, first] {
                let answer = try await stage.answer(stage.server.call(probe.bytes))
                #expect(answer.status == .ok && answer.attemptID == probe.answerID)
                #expect(answer.highest == 0 && answer.epoch == 0 && answer.receipt == nil && answer.sealed.isEmpty)
            }
            #expect(first.answerID != second.answerID)
            #expect(try await rows(of: database) == before)
        }
    }

    @Test("Who is not trusted, did not sign, or speaks for another server gets 403 and not a byte")
    func strangers() async throws {
        try await ServerFixture.run { stage in
            let stranger = try AuthenticationServerDouble("stranger")
            let other = ServerID(using: SeededRandom("another server"))
            var flipped = Self.probe(by: stage.server, at: stage.now).bytes
            flipped[flipped.count - 20] ^= 1
            for call in [
                stranger.call(Self.probe(by: stranger, at: stage.now).bytes), stage.server.call(flipped),
                stage.server.call(Self.probe(by: stage.server, key: stranger.operatorKey, at: stage.now).bytes),
                stage.server.call(Self.probe(by: stage.server, as: other, at: stage.now).bytes),
            ] {
                let (status, body) = try await stage.post(call)
                #expect(status == .forbidden && body.isEmpty)
            }
        }
    }

    @Test("However often strangers call, the log has one line for each reason, with the identity that they show")
    func strangersInTheLog() async throws {
        let (log, clock) = (LogRecorder(), TestClock())
        let (server, stranger) = (try AuthenticationServerDouble("trusted"), try AuthenticationServerDouble("stranger"))
        let node = try await SecondFactorNode(
            SecondFactorNodeSettings(trustedRoots: [server.rootHash]), over: try openInMemory(), by: clock, logger: log.logger(level: .info))
        let foreign = stranger.call(Self.probe(by: stranger, at: clock.now).bytes)
        let unsigned = server.call(Self.probe(by: server, key: stranger.operatorKey, at: clock.now).bytes)
        try await Application(router: node.router).test(.router) { (client) async throws in
            for call in [foreign, unsigned, foreign, unsigned, foreign] {
                #expect(try await client.execute(uri: "/sf/call", method: .post, body: ByteBuffer(bytes: call)).status == .forbidden)
            }
        }
        let lines = log.lines("a server that is not trusted asked")
        #expect(lines.compactMap(\.facts["caller"]) == [Base64URL.encode(stranger.rootHash), Base64URL.encode(server.rootHash)])
        #expect(lines.compactMap(\.facts["reason"]) == ["its identity is not a trusted one", "a probe that it did not sign"])
        #expect(lines.allSatisfy { $0.level == .warning && $0.facts["requestId"] != nil })
    }

    @Test("Clocks more than two minutes apart are told, in both directions, also by a certificate that is not valid here yet")
    func clocks() async throws {
        try await ServerFixture.run { stage in
            let now = stage.now
            let times: [(Instant, Status)] = [
                (now - 120, .ok), (now + 120, .ok), (now - 121, .clock), (now + 121, .clock), (now + 864_000, .clock),
            ]
            for (time, status) in times {
                let call = stage.server.call(Self.probe(by: stage.server, at: time).bytes)
                let answer = try await stage.answer(call)
                #expect(answer.status == status)
            }
        }
    }

    @Test("A second-factor server whose disk takes nothing says so to a signed probe, and its own readiness names the file")
    func fullDisk() async throws {
        let database = FullDatabase(try openInMemory())
        try await ServerFixture.run(on: database, ServerFixture.Setting()) { stage in
            let answer = try await stage.answer(stage.server.call(Self.probe(by: stage.server, at: stage.now).bytes))
            #expect(answer.status == .secondFactorUnavailable)
            try await stage.client.execute(uri: "/ready", method: .get) { response in
                #expect(response.status == .serviceUnavailable)
                #expect(String(buffer: response.body).contains("the disk of /data/second-factor.sqlite is full"))
            }
        }
    }

    @Test("A server that is told to trust itself does not start, and says which setting is wrong")
    func trustsItself() async throws {
        let (database, setting) = (try openInMemory(), try ServerFixture.Setting())
        let hash = try await ServerFixture.run(on: database, setting) { $0.service.identityHash }
        var changed = setting
        changed.trusted = [hash]
        let swapped = changed
        let error = await #expect(throws: IdentityError.trustsItself) {
            try await ServerFixture.run(on: database, swapped) { stage in _ = try await stage.identity() }
        }
        #expect(error?.description.contains("OSTIARY_SF_TRUSTED_SERVERS") == true)
    }

    private func rows(of database: any Database) async throws -> [String] {
        try await database.read { connection in
            try connection.query("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name").flatMap { table in
                let name = try table.text("name")
                return try connection.query("SELECT * FROM \(name)").map { "\(name): \($0.values)" }.sorted()
            }
        }
    }
}

/// A database that can be read and written, and says that its disk is full.
private struct FullDatabase: Database {
    let inner: any Database

    init(_ inner: any Database) { self.inner = inner }

    var dialect: SQLDialect { inner.dialect }
    var isShared: Bool { inner.isShared }

    func read<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        try await inner.read(body)
    }

    func transaction<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        try await inner.transaction(body)
    }

    func checkWritable(_ tables: Set<String>) async throws { throw SQLError.diskFull(path: "/data/second-factor.sqlite") }
    func checkInPlace() async throws { try await inner.checkInPlace() }
    func purge() async throws { try await inner.purge() }
    func close() async throws { try await inner.close() }
}
