import Crypto
import OstiaryProtocol
import Testing

extension Phone {
    /// The phone after it made a new second-factor key for a new PIN.
    func withNewSecondFactor() -> Phone {
        Phone(
            instanceID: instanceID, device: device, secondFactor: Curve25519.Signing.PrivateKey(), biometric: biometric, random: random)
    }
}

extension Stage {
    /// PIN_CHANGE_VERIFY by the right PIN.
    func vouch(_ phone: Phone, sequence: UInt64) async throws -> Phone.Question {
        let question = try phone.question(.pinChangeVerify)
        try #require(try await ask(phone, question, sequence: sequence).answer.status == .ok)
        try #require(try await prove(phone, question).status == .ok)
        return question
    }

    /// The M1 of PIN_CHANGE_SET.
    func askForNewPIN(
        _ phone: Phone, voucher: Phone.Question, epoch: UInt32 = 2
    ) async throws -> (answer: SecondFactorAnswer, asked: Phone.Asked) {
        let question = try phone.question(.pinChangeSet, payload: voucher.attemptID.bytes, epoch: epoch)
        return try await ask(phone, question, sequence: 0)
    }

    func trySetPIN(_ phone: Phone, _ reply: (answer: SecondFactorAnswer, asked: Phone.Asked)) async throws -> SecondFactorAnswer {
        let key = try #require(try await evaluation(reply).evaluationKey)
        let question = reply.asked.question
        let proof = server.proof(
            of: question, phone.instanceID, signature: phone.setProof(of: question, evaluationKey: key), newKey: phone.secondFactorPublicKey)
        return try await answer(server.call(proof.bytes))
    }

    @discardableResult
    func setPIN(_ phone: Phone, _ reply: (answer: SecondFactorAnswer, asked: Phone.Asked)) async throws -> Encoded<Receipt> {
        let answer = try await trySetPIN(phone, reply)
        try #require(answer.status == .ok)
        return try #require(answer.receipt)
    }

    /// A whole change, verified by PIN.
    @discardableResult
    func changePIN(_ phone: Phone, sequence: UInt64) async throws -> Encoded<Receipt> {
        try await setPIN(phone, try await askForNewPIN(phone, voucher: try await vouch(phone, sequence: sequence)))
    }
}
