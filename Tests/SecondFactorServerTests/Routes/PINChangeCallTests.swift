import Database
import HTTPService
import HTTPTypes
import OstiaryProtocol
import OstiaryTesting
import SecondFactor
import Testing

@testable import SecondFactorServer

@Suite("Change of the PIN over the wire")
struct PINChangeCallTests {
    @Test("S4-43, S4-44: verified by PIN, set, and the next login answers in the new epoch; the old one is told to change")
    func byPIN() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("change")
            try await stage.enrol(phone)
            let receipt = try await stage.changePIN(phone, sequence: 1)
            try receipt.verify(with: try await stage.identity().keys, at: stage.now)
            #expect(receipt.value.epoch == 2 && receipt.value.sequence == 1 && receipt.value.context == .pinChangeSet)
            let old = try await stage.guess(phone, sequence: 2)
            #expect(old.status == .wrongEpoch && old.epoch == 2 && old.highest == 1)
            let question = try phone.question(epoch: 2)
            #expect(try await stage.ask(phone, question, sequence: 2).answer.status == .ok)
            #expect(try await stage.prove(phone, question).status == .ok)
        }
    }

    @Test("Verified by a biometric: a new second-factor key and the biometric once more; the old key proves nothing")
    func byBiometric() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("change by finger")
            try await stage.enrol(phone)
            try await stage.addBiometrics(phone, sequence: 1)
            let verify = try phone.question(.pinChangeVerify)
            #expect(try await stage.touch(phone, verify, sequence: 1).status == .ok)
            let newPhone = try phone.rekeyed()
            let reply = try await stage.askForNewPIN(phone, voucher: verify)
            let key = try #require(try await stage.evaluation(reply).evaluationKey)
            let question = reply.asked.question
            let biometric = try phone.biometricSignature(of: reply.asked.attempt.value)
            func set(_ method: Methods, _ biometric: [UInt8]?) async throws -> SecondFactorAnswer {
                try await stage.answer(
                    stage.server.call(
                        stage.server.proof(
                            of: question, phone.instance, signature: newPhone.setProof(of: question, evaluationKey: key),
                            newKey: newPhone.secondFactorPublicKey, method: method, biometric: biometric
                        ).bytes))
            }
            #expect(try await set(.pin, nil).status == .refused)
            #expect(try await set(.bio, nil).status == .refused)
            #expect(try await set(.bio, phone.biometricSignature(of: reply.asked.attempt.value, by: phone.deviceKey)).status == .refused)
            let answer = try await set(.bio, biometric)
            #expect(answer.status == .ok && answer.receipt?.value.secondFactorKey == newPhone.secondFactorPublicKey)
            let login = try phone.question(epoch: 2)
            #expect(try await stage.ask(phone, login, sequence: 2).answer.status == .ok)
            #expect(try await stage.prove(phone, login).status == .refused)
            #expect(try await stage.prove(newPhone, login).status == .ok)
        }
    }

    @Test("Wrong tries before and while a PIN is changed stay counted, and a question with the other box costs nothing")
    func triesStay() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("counted")
            try await stage.enrol(phone)
            let verify = try await stage.vouch(phone, sequence: 1)
            #expect(try await stage.guess(phone, sequence: 2).tries.failed == 1)
            let reply = try await stage.askForNewPIN(phone, voucher: verify)
            #expect(reply.answer.status == .ok && reply.answer.epoch == 1 && reply.answer.tries.failed == 1)
            let receipt = try await stage.setPIN(phone, reply)
            #expect(receipt.value.sequence == 1)
            #expect(try await stage.guess(phone, sequence: 3).status == .wrongEpoch)
            #expect(try await stage.ask(phone, phone.question(epoch: 2), sequence: 3).answer.tries.failed == 2)
        }
    }

    @Test("No voucher, an unproved, old, foreign or used one: refused, and the PIN stays")
    func vouchers() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("vouchers")
            let neighbour = try RawPhone("neighbour's voucher")
            try await stage.enrol(phone)
            try await stage.enrol(neighbour)
            func refused(_ voucher: RawPhone.Question, epoch: UInt32 = 2) async throws {
                #expect(try await stage.askForNewPIN(phone, voucher: voucher, epoch: epoch).answer.status == .refused)
            }
            try await refused(phone.question(.pinChangeVerify))
            let unproved = try phone.question(.pinChangeVerify)
            #expect(try await stage.ask(phone, unproved, sequence: 1).answer.status == .ok)
            try await refused(unproved)
            #expect(try await stage.prove(phone, unproved).status == .ok)
            try await refused(try await stage.vouch(neighbour, sequence: 1))
            let login = try phone.question()
            #expect(try await stage.ask(phone, login, sequence: 2).answer.status == .ok)
            #expect(try await stage.prove(phone, login).status == .ok)
            try await refused(login)
            stage.clock.advance(300)
            try await refused(unproved)
            let young = try await stage.vouch(phone, sequence: 3)
            _ = try await stage.setPIN(phone, try await stage.askForNewPIN(phone, voucher: young))
            #expect(try await stage.askForNewPIN(phone, voucher: young).answer.status == .wrongEpoch)
            try await refused(young, epoch: 3)
            try await stage.succeed(phone, sequence: 4, epoch: 2)
        }
    }

    @Test("An attempt that another device key signed asks for no new PIN")
    func otherDevice() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("other device")
            try await stage.enrol(phone)
            let verify = try await stage.vouch(phone, sequence: 1)
            let thief = phone.with(deviceKeyOf: try RawPhone("thief of a change"))
            #expect(try await stage.askForNewPIN(thief, voucher: verify).answer.status == .secondFactorUnknown)
        }
    }

    @Test("A change that was verified by PIN with another second-factor key is refused, and the old PIN stays")
    func otherKey() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("other key")
            try await stage.enrol(phone)
            let reply = try await stage.askForNewPIN(phone, voucher: try await stage.vouch(phone, sequence: 1))
            let key = try #require(try await stage.evaluation(reply).evaluationKey)
            let thief = try phone.rekeyed()
            let proof = stage.server.proof(
                of: reply.asked.question, phone.instance, signature: thief.setProof(of: reply.asked.question, evaluationKey: key),
                newKey: thief.secondFactorPublicKey)
            #expect(try await stage.answer(stage.server.call(proof.bytes)).status == .refused)
            try await stage.succeed(phone, sequence: 2)
        }
    }

    @Test("Where the policy forbids it, a biometric verifies no change")
    func disallowed() async throws {
        try await ServerFixture.run(policy: try Policy(disallowPINChangeWithBiometric: true)) { stage in
            let phone = try RawPhone("disallowed")
            try await stage.enrol(phone)
            try await stage.addBiometrics(phone, sequence: 1)
            #expect(try await stage.touch(phone, phone.question(.pinChangeVerify), sequence: 1).status == .refused)
            try await stage.changePIN(phone, sequence: 2)
        }
    }

    @Test("Ten minutes from the evaluation to the new PIN; then the pending key is gone and the old PIN stays")
    func pendingExpires() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("pending")
            try await stage.enrol(phone)
            let reply = try await stage.askForNewPIN(phone, voucher: try await stage.vouch(phone, sequence: 1))
            stage.clock.advance(601)
            for service in stage.service.background { await (service as? PeriodicTask)?.round() }
            #expect(try await stage.trySetPIN(phone, reply).status == .refused)
            try await stage.succeed(phone, sequence: 2)
        }
    }

    @Test("The same M1 again has the same key and evaluation, the same proof the same receipt")
    func repetition() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("change again")
            try await stage.enrol(phone)
            let reply = try await stage.askForNewPIN(phone, voucher: try await stage.vouch(phone, sequence: 1))
            let first = try await stage.evaluation(reply)
            let again = try await stage.ask(phone, reply.asked.question, sequence: 0)
            #expect(try await stage.evaluation(again) == first)
            let receipt = try await stage.setPIN(phone, reply)
            #expect(try await stage.setPIN(phone, reply).bytes == receipt.bytes)
            #expect(try await stage.evaluation(try await stage.ask(phone, reply.asked.question, sequence: 0)) == first)
        }
    }
}
