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
        /// - Parameter hasSwitched: whether the former key is erased: nothing of before is evaluated any more.
        func run(_ stage: ServerFixture, sequence: UInt64, hasSwitched: Bool = false) async throws -> Bool {
            if hasSwitched {
                #expect(try await stage.ask(phone, verify, sequence: sequence).answer.status == .wrongEpoch)
            } else {
                guard try await ask(verify, sequence, stage) != nil else { return false }
            }
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
        arguments: Crash.all(1...4))
    func atEveryCommit(_ crash: Crash) async throws {
        let ground = try await CrashGround(crash.engine)
        let setting = try ServerFixture.Setting()
        let phone = try RawPhone("crash in a change")
        func live<Value: Sendable>(_ name: String, crashing: Bool = false, _ body: @escaping @Sendable (ServerFixture) async throws -> Value)
            async throws
            -> Value
        {
            let database = try await ground.open(name)
            let value = try await ServerFixture.run(on: database, setting) { stage in
                if crashing { database.crash(atCommit: crash.commit, crash.moment) }
                return try await body(stage)
            }
            try await database.close()
            return value
        }
        try await live("before") { stage in _ = try await stage.enrol(phone) }
        let change = try Change(phone)
        #expect(try await live("crash", crashing: true) { stage in try await change.run(stage, sequence: 1) } == false)
        try await live("after") { stage in
            // One commit counts PIN_CHANGE_VERIFY, the second proves it; the third holds the new key, the fourth switches.
            let hasSwitched = crash.commit == 4 && crash.moment == .afterCommit
            let old = try await stage.guess(phone, sequence: 2)
            #expect(old.status == (hasSwitched ? .wrongEpoch : .ok) && old.epoch == (hasSwitched ? 2 : 1))
            let new = try await stage.ask(phone, phone.question(epoch: 2), sequence: 3).answer
            #expect(new.status == (hasSwitched ? .ok : .wrongEpoch))
            #expect(try await change.run(stage, sequence: 4, hasSwitched: hasSwitched))
            #expect(try await stage.guess(phone, sequence: 5).status == .wrongEpoch)
            try await stage.succeed(phone, sequence: 5, epoch: 2)
        }
    }
}
