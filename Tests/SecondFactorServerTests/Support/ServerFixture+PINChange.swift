import OstiaryProtocol
import OstiaryTesting
import Testing

extension ServerFixture {
    /// PIN_CHANGE_VERIFY by the right PIN.
    func vouch(_ phone: RawPhone, sequence: UInt64) async throws -> RawPhone.Question {
        let question = try phone.question(.pinChangeVerify)
        try #require(try await ask(phone, question, sequence: sequence).answer.status == .ok)
        try #require(try await prove(phone, question).status == .ok)
        return question
    }

    /// The M1 of PIN_CHANGE_SET.
    func askForNewPIN(
        _ phone: RawPhone, voucher: RawPhone.Question, epoch: UInt32 = 2
    ) async throws -> (answer: SecondFactorAnswer, asked: RawPhone.Asked) {
        let question = try phone.question(.pinChangeSet, payload: voucher.id.bytes, epoch: epoch)
        return try await ask(phone, question, sequence: 0)
    }

    func trySetPIN(_ phone: RawPhone, _ reply: (answer: SecondFactorAnswer, asked: RawPhone.Asked)) async throws -> SecondFactorAnswer {
        let key = try #require(try await evaluation(reply).evaluationKey)
        let question = reply.asked.question
        let proof = server.proof(
            of: question, phone.instance, signature: phone.setProof(of: question, evaluationKey: key), newKey: phone.secondFactorPublicKey)
        return try await answer(server.call(proof.bytes))
    }

    @discardableResult
    func setPIN(_ phone: RawPhone, _ reply: (answer: SecondFactorAnswer, asked: RawPhone.Asked)) async throws -> Encoded<Receipt> {
        let answer = try await trySetPIN(phone, reply)
        try #require(answer.status == .ok)
        return try #require(answer.receipt)
    }

    /// A whole change, verified by PIN.
    @discardableResult
    func changePIN(_ phone: RawPhone, sequence: UInt64) async throws -> Encoded<Receipt> {
        try await setPIN(phone, try await askForNewPIN(phone, voucher: try await vouch(phone, sequence: sequence)))
    }
}
