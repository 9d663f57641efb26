import Database
import HTTPTypes
import OstiaryProtocol
import OstiaryTesting
import SecondFactor
import Testing

@testable import SecondFactorServer

/// The server dies at every commit of a change of the PIN.
@Suite("Crashes in a change of the PIN")
struct PINChangeCrashTests {
    /// What the phone keeps of its change, to repeat it.
    private struct Change: Sendable {
        let phone: RawPhone
        let verify: RawPhone.Question
        let set: RawPhone.Question

        init(_ phone: RawPhone) throws {
            self.phone = phone
            verify = try phone.question(.pinChangeVerify)
            set = try phone.question(.pinChangeSet, payload: verify.id.bytes, epoch: 2)
        }

        /// The whole change, new or repeated; false when the server died under it.
        func run(_ stage: ServerFixture, sequence: UInt64) async throws -> Bool {
            guard try await ask(verify, sequence, stage) != nil else { return false }
            guard try await send(stage.server.proof(of: verify, phone.instance, signature: phone.proof(of: verify)), stage) else { return false }
            guard let evaluation = try await ask(set, 0, stage) else { return false }
            let key = try #require(evaluation.evaluationKey)
            let proof = stage.server.proof(
                of: set, phone.instance, signature: phone.setProof(of: set, evaluationKey: key), newKey: phone.secondFactorPublicKey)
            return try await send(proof, stage)
        }

        private func ask(_ question: RawPhone.Question, _ sequence: UInt64, _ stage: ServerFixture) async throws -> SecondFactorEvaluation? {
            let asked = try phone.ask(question, try await stage.identity(), at: stage.now)
            let (status, body) = try await stage.post(stage.server.ticketCall(asked, sequence: sequence, at: stage.now))
            guard status == .ok else { return nil }
            let answer = try SecondFactorAnswer(decoding: body)
            #expect(answer.status == .ok)
            return try await stage.evaluation((answer, asked))
        }

        private func send(_ proof: Encoded<Proof>, _ stage: ServerFixture) async throws -> Bool {
            let (status, body) = try await stage.post(stage.server.call(proof.bytes))
            guard status == .ok else { return false }
            #expect(try SecondFactorAnswer(decoding: body).status == .ok)
            return true
        }
    }

    @Test(
        "A crash at any commit of a change: one box opens, never both and never none, and the repeated change ends in the new epoch",
        arguments: 1...6, UnsyncedDatabase.Moment.allCases)
    func atEveryCommit(_ commit: Int, _ moment: UnsyncedDatabase.Moment) async throws {
        let folder = try TemporaryFolder()
        let durable = folder.file("durable.sqlite")
        let setting = try ServerFixture.Setting()
        let phone = try RawPhone("crash in a change")
        func live<Value: Sendable>(_ name: String, crash: Bool = false, _ body: @escaping @Sendable (ServerFixture) async throws -> Value)
            async throws
            -> Value
        {
            let database = try UnsyncedDatabase(durablePath: durable, workingPath: folder.file(name))
            let value = try await ServerFixture.run(on: database, setting) { stage in
                if crash { database.crash(atCommit: commit, moment) }
                return try await body(stage)
            }
            try await database.close()
            return value
        }
        try await live("before.sqlite") { stage in _ = try await stage.enrol(phone) }
        let change = try Change(phone)
        #expect(try await live("crash.sqlite", crash: true) { stage in try await change.run(stage, sequence: 1) } == false)
        try await live("after.sqlite") { stage in
            // Two commits count and evaluate PIN_CHANGE_VERIFY, the third proves it; two hold the new key, the sixth switches.
            let hasSwitched = commit == 6 && moment == .afterCommit
            let old = try await stage.guess(phone, sequence: 2)
            #expect(old.status == (hasSwitched ? .wrongEpoch : .ok) && old.epoch == (hasSwitched ? 2 : 1))
            let new = try await stage.ask(phone, phone.question(epoch: 2), sequence: 3).answer
            #expect(new.status == (hasSwitched ? .ok : .wrongEpoch))
            #expect(try await change.run(stage, sequence: 4))
            #expect(try await stage.guess(phone, sequence: 5).status == .wrongEpoch)
            try await stage.succeed(phone, sequence: 5, epoch: 2)
        }
    }
}
