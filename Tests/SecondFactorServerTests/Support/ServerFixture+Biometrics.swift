import OstiaryProtocol
import OstiaryTesting
import Testing

extension ServerFixture {
    /// BIOMETRICS_ADD, by the right PIN.
    @discardableResult
    func addBiometrics(_ phone: RawPhone, sequence: UInt64) async throws -> Encoded<Receipt> {
        let question = try phone.question(.biometricsAdd, payload: phone.biometricPublicKey)
        try #require(try await ask(phone, question, sequence: sequence).answer.status == .ok)
        let answer = try await prove(phone, question)
        try #require(answer.status == .ok)
        return try #require(answer.receipt)
    }

    /// The call for a biometric on its own, as the authentication server sends it.
    func biometricCall(
        _ phone: RawPhone, _ question: RawPhone.Question? = nil, sequence: UInt64, receipt: Encoded<Receipt>? = nil
    ) throws -> [UInt8] {
        let question = try question ?? phone.question()
        let attempt = try phone.biometricAttempt(question, at: now)
        let proof = server.biometricProof(
            attempt, payload: question.payload, signature: try phone.biometricSignature(of: attempt.value), sequence: sequence, at: now)
        return server.call(proof.bytes, receipt: receipt)
    }

    func touch(
        _ phone: RawPhone, _ question: RawPhone.Question? = nil, sequence: UInt64, receipt: Encoded<Receipt>? = nil
    ) async throws -> SecondFactorAnswer {
        try await answer(biometricCall(phone, question, sequence: sequence, receipt: receipt))
    }
}
