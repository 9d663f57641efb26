import Database
import Foundation
import Logging
import OstiaryProtocol
import OstiaryTesting
import SecondFactor
import Testing

@testable import SecondFactorServer

@Suite("Reset and close over the wire")
struct AdministrationTests {
    private func block(_ phone: RawPhone, _ stage: ServerFixture) async throws {
        try await stage.enrol(phone)
        for sequence in 1...5 as ClosedRange<UInt64> {
            stage.clock.advance(UInt64(try await stage.guess(phone, sequence: sequence).tries.wait))
        }
        #expect(try await stage.guess(phone, sequence: 6).status == .blocked)
    }

    @Test("A reset by message brings a blocked person back, once a day, and a captured one not again")
    func byMessage() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("blocked")
            try await block(phone, stage)
            let message = stage.server.call(stage.server.reset(phone.instance, at: stage.now).bytes)
            let granted = try await stage.answer(message)
            #expect(granted.status == .ok && granted.tries.failed == 0)
            #expect(try await stage.guess(phone, sequence: 6).tries.failed == 1)
            #expect(try await stage.answer(message).status == .ok)
            #expect(try await stage.guess(phone, sequence: 7).tries.failed == 2)
            for sequence in UInt64(8)...10 {
                stage.clock.advance(301)
                #expect(try await stage.guess(phone, sequence: sequence).status == .ok)
            }
            let second = stage.server.reset(phone.instance, at: stage.now)
            #expect(try await stage.answer(stage.server.call(second.bytes)).status == .tooMany)
        }
    }

    @Test("A reset by message of a phone that is not blocked is answered, is no row of the log, and leaves the one of the day")
    func notBlocked() async throws {
        let database = try openInMemory()
        try await ServerFixture.run(on: database, ServerFixture.Setting()) { stage in
            let phone = try RawPhone("not blocked")
            try await stage.enrol(phone)
            #expect(try await stage.guess(phone, sequence: 1).tries.failed == 1)
            let needless = try await stage.answer(stage.server.call(stage.server.reset(phone.instance, at: stage.now).bytes))
            #expect(needless.status == .ok && needless.tries.failed == 1)
            #expect(try await database.read { try $0.query("SELECT 1 FROM reset_log") }.isEmpty)
            for sequence in UInt64(2)...5 {
                stage.clock.advance(301)
                #expect(try await stage.guess(phone, sequence: sequence).status == .ok)
            }
            let granted = try await stage.answer(stage.server.call(stage.server.reset(phone.instance, at: stage.now).bytes))
            #expect(granted.status == .ok && granted.tries.failed == 0)
        }
    }

    @Test("A15: a Reset that was recorded while nothing was blocked lifts no block when it is played again, and the operator's own still does")
    func recorded() async throws {
        try await ServerFixture.run(policy: try Policy(penalties: [])) { stage in
            let phone = try RawPhone("recorded")
            try await stage.enrol(phone)
            let recorded = stage.server.call(stage.server.reset(phone.instance, at: stage.now).bytes)
            #expect(try await stage.answer(recorded).status == .ok)
            for sequence in UInt64(1)...5 { #expect(try await stage.guess(phone, sequence: sequence).status == .ok) }
            stage.clock.advance(11)
            #expect(try await stage.answer(recorded).tries.failed == 5)
            #expect(try await stage.guess(phone, sequence: 6).status == .blocked)
            let granted = try await stage.answer(stage.server.call(stage.server.reset(phone.instance, at: stage.now).bytes))
            #expect(granted.status == .ok && granted.tries.failed == 0)
        }
    }

    @Test(
        "An operator's command resets beside the running server, and every reset is in the audit log, once",
        arguments: [LosingDatabase.Plan.none, .each(.kept), .each(.gone)])
    func byCommand(losing plan: LosingDatabase.Plan) async throws {
        let database = try openInMemory()
        try await ServerFixture.run(on: database, ServerFixture.Setting()) { stage in
            let phone = try RawPhone("command")
            try await block(phone, stage)
            let desk = SecondFactorOperator(
                database: LosingDatabase(database, plan), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let foreign = try await desk.resetInstance(phone.instance, of: ServerID(using: SeededRandom("?")), at: stage.now)
            #expect(foreign.word == "otherServer")
            let unknown = try await desk.resetInstance(InstanceID(using: SeededRandom("?")), at: stage.now)
            #expect(unknown.word == "unknownInstance")
            let outcome = try await desk.resetInstance(phone.instance, of: stage.server.serverID, at: stage.now)
            #expect(outcome.word == "granted")
            #expect(try await stage.guess(phone, sequence: 6).status == .ok)
            let rows = try await database.read {
                try $0.query("SELECT instance_id, granted_at, message_time, highest, proven FROM reset_log")
            }
            #expect(rows.count == 1)
            let row = try #require(rows.first)
            #expect(try row.blob("instance_id") == phone.instance.bytes)
            #expect(try row.unsigned("highest") == 5)
            #expect(try row.unsigned("proven") == 0)
            #expect(try row.isNull("message_time"))
        }
    }

    @Test("A device key that left is told unknown from then on, the others go on; an order that another server signed changes nothing")
    func leave() async throws {
        let database = try openInMemory()
        try await ServerFixture.run(on: database, ServerFixture.Setting()) { stage in
            let phone = try RawPhone("leaving")
            try await stage.enrol(phone)
            func keys() async throws -> Int {
                try await database.read { try #require(try $0.one("SELECT LENGTH(device_keys) / 65 AS number FROM instance")).int("number") }
            }
            var forged = stage.server.leave(phone.publicKey, phone.instance, at: stage.now).bytes
            forged[forged.count - 10] ^= 1
            #expect(try await stage.answer(stage.server.call(forged)).status == .refused)
            let other = stage.server.leave(try RawPhone("other").publicKey, phone.instance, at: stage.now - 86_400)
            #expect(try await stage.answer(stage.server.call(other.bytes)).status == .ok)
            #expect(try await keys() == 1)
            #expect(try await stage.guess(phone, sequence: 1).status == .ok)
            for _ in 0..<2 {
                let leave = stage.server.leave(phone.publicKey, phone.instance, at: stage.now - 86_400)
                #expect(try await stage.answer(stage.server.call(leave.bytes)).status == .ok)
            }
            #expect(try await keys() == 0)
            #expect(try await stage.guess(phone, sequence: 2).status == .secondFactorUnknown)
        }
    }

    @Test("An order counts only with its caller's signature and under its caller's name; any other changes nothing")
    func forgedOrders() async throws {
        let thief = try AuthenticationServerDouble("thief")
        let database = try openInMemory()
        try await ServerFixture.run(on: database, ServerFixture.Setting()) { stage in
            let phone = try RawPhone("ordered about")
            try await block(phone, stage)
            let (id, now, key) = (phone.instance, stage.now, phone.publicKey)
            func row() async throws -> [String] { try await database.read { try $0.query("SELECT * FROM instance").map { "\($0.values)" } } }
            let before = try await row()
            for (name, signer) in [(stage.server.serverID, thief.operatorKey), (thief.serverID, stage.server.operatorKey)] {
                let orders = [
                    Encoded(Close(serverID: name, instanceID: id, time: now), signedBy: signer).bytes,
                    Encoded(Leave(serverID: name, instanceID: id, deviceKey: key, time: now), signedBy: signer).bytes,
                    Encoded(Reset(serverID: name, instanceID: id, time: now), signedBy: signer).bytes,
                ]
                for order in orders { #expect(try await stage.answer(stage.server.call(order)).status == .refused) }
            }
            let unsigned = [
                Close(serverID: stage.server.serverID, instanceID: id, time: now).encoded,
                Leave(serverID: stage.server.serverID, instanceID: id, deviceKey: key, time: now).encoded,
                Reset(serverID: stage.server.serverID, instanceID: id, time: now).encoded,
            ]
            for order in unsigned { #expect(try await stage.answer(stage.server.call(order)).status == .refused) }
            #expect(try await row() == before)
        }
    }

    @Test("After a Close the key is nowhere in the database file, tickets are told CLOSED, and the id is not used again")
    func close() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("sf.sqlite")
        let database = try openFile(path)
        let phone = try RawPhone("closing")
        let wrapped = try await ServerFixture.run(on: database, ServerFixture.Setting()) { stage in
            try await stage.enrol(phone)
            let stored = try await database.read { try $0.one("SELECT evaluation_key FROM instance")?.blob("evaluation_key") }
            let question = try phone.question()
            #expect(try await stage.ask(phone, question, sequence: 1).answer.status == .ok)
            for _ in 0..<2 {
                let close = stage.server.close(phone.instance, at: stage.now - 86_400)
                #expect(try await stage.answer(stage.server.call(close.bytes)).status == .ok)
            }
            #expect(try await stage.guess(phone, sequence: 2).status == .closed)
            #expect(try await stage.prove(phone, question).status == .refused)
            let again = try phone.question(.firstSet, payload: phone.payload())
            #expect(try await stage.ask(phone, again, sequence: 0).answer.status == .closed)
            let reset = stage.server.reset(phone.instance, at: stage.now)
            #expect(try await stage.answer(stage.server.call(reset.bytes)).status == .closed)
            return try #require(stored)
        }
        try await database.close()
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(file.range(of: Data(phone.publicKey)) != nil)
        #expect(file.range(of: Data(wrapped)) == nil)
    }

    @Test("A pending first PIN is replaced by the next one, whose proof alone makes the instance")
    func pendingKeys() async throws {
        let database = try openInMemory()
        try await ServerFixture.run(on: database, ServerFixture.Setting()) { stage in
            let phone = try RawPhone("pending")
            let first = try phone.question(.firstSet, payload: phone.payload())
            let firstKey = try await stage.evaluation(try await stage.ask(phone, first, sequence: 0)).evaluationKey
            let second = try phone.question(.firstSet, payload: phone.payload())
            let secondKey = try await stage.evaluation(try await stage.ask(phone, second, sequence: 0)).evaluationKey
            #expect(firstKey != secondKey)
            #expect(try await stage.ask(phone, first, sequence: 0).answer.status == .refused)
            func prove(_ question: RawPhone.Question, _ key: [UInt8]?) async throws -> Status {
                let signature = phone.setProof(of: question, evaluationKey: try #require(key))
                let proof = stage.server.proof(
                    of: question, phone.instance, signature: signature, newKey: phone.secondFactorPublicKey)
                return try await stage.answer(stage.server.call(proof.bytes)).status
            }
            #expect(try await prove(first, firstKey) == .refused)
            #expect(try await prove(second, firstKey) == .refused)
            #expect(try await prove(second, secondKey) == .ok)
            #expect(try await prove(second, secondKey) == .ok)
            #expect(try await stage.succeed(phone, sequence: 1).value.sequence == 1)
            let pending = try await database.read { try $0.one("SELECT COUNT(*) AS rows FROM pending_key")?.int("rows") }
            #expect(pending == 0)
        }
    }
}
