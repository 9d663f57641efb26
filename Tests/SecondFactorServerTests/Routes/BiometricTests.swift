import Database
import OstiaryProtocol
import OstiaryTesting
import SecondFactor
import Testing

@testable import SecondFactorServer

@Suite("Biometrics over the wire")
struct BiometricTests {
    @Test("S4-32, S4-41, S4-42: added by PIN, used alone, removed by itself; each receipt verifies")
    func walkthrough() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("bio walk")
            try await stage.enrol(phone)
            #expect(try await stage.touch(phone, sequence: 0).status == .refused)
            let added = try await stage.addBiometrics(phone, sequence: 1)
            #expect(added.value.context == .biometricsAdd && added.value.method == .pin)
            let answer = try await stage.touch(phone, sequence: 1)
            #expect(answer.status == .ok && answer.highest == 1)
            let receipt = try #require(answer.receipt)
            try receipt.verify(with: try await stage.identity().keys, at: stage.now)
            #expect(receipt.value.method == .bio && receipt.value.sequence == 1 && receipt.value.withoutPIN == 1)
            let removal = try phone.question(.biometricsRemove, payload: phone.biometricPublicKey)
            #expect(try await stage.touch(phone, removal, sequence: 1).status == .ok)
            #expect(try await stage.touch(phone, sequence: 1).status == .refused)
        }
    }

    @Test("S4-65, S4-66, S4-67, S4-68: five wrong PINs, a biometric, and tries, block and penalty are gone")
    func lifts() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("lifted")
            try await stage.enrol(phone)
            try await stage.addBiometrics(phone, sequence: 1)
            for sequence in 2...4 as ClosedRange<UInt64> { #expect(try await stage.guess(phone, sequence: sequence).status == .ok) }
            #expect(try await stage.guess(phone, sequence: 5).status == .penalised)
            #expect(try await stage.touch(phone, sequence: 4).tries == Tries(failed: 0, most: 5, wait: 0, withoutPINLeft: Tries.unlimited))
            var sequence: UInt64 = 5
            for _ in 0..<5 {
                let answer = try await stage.guess(phone, sequence: sequence)
                #expect(answer.status == .ok)
                stage.clock.advance(UInt64(answer.tries.wait))
                sequence += 1
            }
            #expect(try await stage.guess(phone, sequence: sequence).status == .blocked)
            #expect(try await stage.touch(phone, sequence: sequence - 1).status == .ok)
            #expect(try await stage.guess(phone, sequence: sequence).tries.failed == 1)
        }
    }

    @Test("T24: the biometric-reset loop over the wire ends after a hundred evaluations since the last right PIN")
    func resetLoop() async throws {
        try await ServerFixture.run(policy: try Policy(penalties: [])) { stage in
            let phone = try RawPhone("loop")
            try await stage.enrol(phone)
            let added = try await stage.addBiometrics(phone, sequence: 1)
            stage.setting.evaluator.forget()
            var last: UInt64 = 1
            var receipt = added
            for _ in 0..<120 {
                let tried = try await stage.guess(phone, sequence: last + 1, receipt: receipt)
                if tried.status == .ok { last = tried.highest }
                let touched = try await stage.touch(phone, sequence: last, receipt: receipt)
                if let newer = touched.receipt { receipt = newer }
            }
            #expect(stage.setting.evaluator.guesses(of: phone.instance) == 100)
            #expect(try await stage.touch(phone, sequence: last).status == .blocked)
            #expect(try await stage.guess(phone, sequence: last + 1).status == .blocked)
        }
    }

    @Test("S4-33: PIN and biometric together are proved together; either signature wrong, and nothing is")
    func together() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("both")
            try await stage.enrol(phone)
            try await stage.addBiometrics(phone, sequence: 1)
            let question = try phone.question()
            let reply = try await stage.ask(phone, question, sequence: 2)
            let biometric = try phone.biometricSignature(of: reply.asked.attempt.value)
            let stranger = try phone.biometricSignature(of: reply.asked.attempt.value, by: try RawPhone("a stranger").biometricKey)
            func prove(_ signature: [UInt8]?, _ biometric: [UInt8]?) async throws -> SecondFactorAnswer {
                try await stage.answer(
                    stage.server.call(
                        stage.server.proof(
                            of: question, phone.instance, signature: signature, method: [.pin, .bio], biometric: biometric
                        ).bytes))
            }
            #expect(try await prove(phone.proof(of: question), stranger).status == .refused)
            #expect(try await prove(try RawPhone("other").proof(of: question), biometric).status == .refused)
            #expect(try await prove(phone.proof(of: question), nil).status == .refused)
            #expect(try await prove(nil, biometric).status == .refused)
            let answer = try await prove(phone.proof(of: question), biometric)
            #expect(answer.status == .ok && answer.receipt?.value.method == [.pin, .bio] && answer.receipt?.value.withoutPIN == 0)
            #expect(answer.receipt?.value.signaturesHash == SHA(phone.proof(of: question) + biometric))
            #expect(try await prove(phone.proof(of: question), biometric).receipt?.bytes == answer.receipt?.bytes)
        }
    }

    @Test("S4-77, S4-49: a new account and new biometrics take a PIN, never a biometric alone or beside it")
    func pinOnly() async throws {
        try await ServerFixture.run { stage in
            let phone = try RawPhone("pin only")
            try await stage.enrol(phone)
            try await stage.addBiometrics(phone, sequence: 1)
            let questions = [
                try phone.question(.enrol, payload: phone.payload(joining: try RawPhone("n").publicKey)),
                try phone.question(.biometricsAdd, payload: try RawPhone("m").biometricPublicKey),
            ]
            for (number, question) in questions.enumerated() {
                #expect(try await stage.touch(phone, question, sequence: 1).status == .refused)
                let reply = try await stage.ask(phone, question, sequence: UInt64(number) + 2)
                let both = stage.server.proof(
                    of: question, phone.instance, signature: phone.proof(of: question), method: [.pin, .bio],
                    biometric: try phone.biometricSignature(of: reply.asked.attempt.value))
                #expect(try await stage.answer(stage.server.call(both.bytes)).status == .refused)
            }
        }
    }

    @Test("S4-78, S4-79: the limits by number and by time hold at the server and are told")
    func limits() async throws {
        try await ServerFixture.run(policy: try Policy(maxNumberWithoutPIN: 2, maxTimeWithoutPIN: 3_600)) { stage in
            let phone = try RawPhone("limits")
            try await stage.enrol(phone)
            try await stage.addBiometrics(phone, sequence: 1)
            #expect(try await stage.touch(phone, sequence: 1).tries.withoutPINLeft == 1)
            #expect(try await stage.touch(phone, sequence: 1).tries.withoutPINLeft == 0)
            let refused = try await stage.touch(phone, sequence: 1)
            #expect(refused.status == .pinRequired && refused.receipt == nil && refused.tries.withoutPINLeft == 0)
            try await stage.succeed(phone, sequence: 2)
            stage.clock.advance(3_599)
            #expect(try await stage.touch(phone, sequence: 2).status == .ok)
            stage.clock.advance(1)
            #expect(try await stage.touch(phone, sequence: 2).status == .pinRequired)
        }
    }
}
