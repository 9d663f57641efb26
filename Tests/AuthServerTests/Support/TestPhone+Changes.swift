import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

/// Biometrics and changes of the PIN, over both real servers.
extension EnrolledPhone {
    /// What signs whenever a finger is shown.
    var fingerKey: [UInt8] { phone.raw.biometricPublicKey }

    /// M3 and M4.
    func complete(_ change: RawPhone.Change) async throws -> M4 {
        let answer = try await phone.send(try phone.raw.changing(change, of: account, at: servers.now).bytes, change.ephemeral)
        guard answer.status == .ok else { throw answer.status }
        return try M4(decoding: answer.body)
    }

    /// M1 to M4 of an operation that the PIN proves; answers its attempt too, which may vouch for a new PIN.
    @discardableResult
    func proveByPIN(_ context: SecondFactorContext, _ payload: [UInt8] = [], epoch: UInt32 = 1) async throws -> (attempt: AttemptID, M4) {
        let ephemeral = try TestPhone.ephemeral()
        let question = try phone.raw.question(context, payload: payload, epoch: epoch)
        let evaluated = try await phone.evaluate(TestAttempt(question, account: account, ephemeral: ephemeral))
        guard evaluated.status == .ok else { throw evaluated.status }
        let done = try await complete(phone.raw.proving(question, ephemeral))
        return (question.id, done)
    }

    /// M3 and M4 of an operation that a biometric proves.
    @discardableResult
    func proveByBiometric(_ context: SecondFactorContext, _ payload: [UInt8] = [], epoch: UInt32 = 1) async throws -> (attempt: AttemptID, M4) {
        let change = try phone.raw.provingByBiometric(context, payload, epoch: epoch, try TestPhone.ephemeral(), at: servers.now)
        let done = try await complete(change)
        return (change.attempt, done)
    }

    /// M1 to M4 of a new PIN.
    func setPIN(_ voucher: AttemptID, epoch: UInt32, byBiometric: Bool = false) async throws -> M4 {
        let ephemeral = try TestPhone.ephemeral()
        let question = try phone.raw.question(.pinChangeSet, payload: voucher.bytes, epoch: epoch)
        let evaluated = try await phone.evaluate(TestAttempt(question, account: account, ephemeral: ephemeral))
        guard evaluated.status == .ok else { throw evaluated.status }
        #expect(evaluated.m2?.serverShare != nil)
        let key = try #require(evaluated.evaluation).evaluationKey
        return try await complete(try phone.raw.settingPIN(evaluated.asked, evaluationKey: key, ephemeral, byBiometric: byBiometric))
    }

    func logInByBiometric(_ nonce: SessionNonce, epoch: UInt32 = 1) async throws -> L6 {
        let shown = try await scan(try await servers.link(nonce))
        return try await shown.send(try phone.raw.acceptingByBiometric(shown.shown, by: account, epoch: epoch, at: servers.now))
    }
}
