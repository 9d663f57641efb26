import Authentication
import OstiaryProtocol
import OstiaryTesting

/// Operations on the second factor that belong to no session.
extension TestPhone {
    func operationHash(_ context: SecondFactorContext, _ payload: [UInt8], epoch: UInt32 = 1) -> [UInt8] {
        raw.operationHash(context, payload, epoch: epoch)
    }

    /// M1 of an operation.
    func trying(_ context: SecondFactorContext, _ payload: [UInt8], epoch: UInt32 = 1, ephemeral: EphemeralKey? = nil) throws -> Try {
        try attempt(
            context, sessionHash: operationHash(context, payload, epoch: epoch), payload: payload, account: try present(account),
            ephemeral: try ephemeral ?? self.ephemeral(), epoch: epoch)
    }

    func changing(_ change: Change) throws -> Outgoing {
        let message = try raw.changing(change, of: try present(change.account ?? account), at: world.now)
        return outgoing(message.bytes, change.ephemeral)
    }

    func complete(_ change: Change) async throws -> M4 { try M4(decoding: try await world.deliver(try changing(change)).body) }

    /// M1 and M2, and the M3 that the right PIN makes of them.
    func provingByPIN(_ context: SecondFactorContext, _ payload: [UInt8] = [], epoch: UInt32 = 1) async throws -> Change {
        let attempt = try trying(context, payload, epoch: epoch)
        return raw.proving(try await send(attempt).question, attempt.message.ephemeral)
    }

    /// The M3 of a biometric on its own.
    func provingByBiometric(_ context: SecondFactorContext, _ payload: [UInt8] = [], epoch: UInt32 = 1) throws -> Change {
        try raw.provingByBiometric(context, payload, epoch: epoch, try ephemeral(), at: world.now)
    }

    @discardableResult
    func addBiometrics(epoch: UInt32 = 1) async throws -> M4 {
        try await complete(try await provingByPIN(.biometricsAdd, try biometricPublicKey(), epoch: epoch))
    }

    /// A new PIN that is evaluated and waits for its M3.
    struct NewPIN: Sendable {
        let tried: Tried
        var change: Change
    }

    /// M1 and M2 of the new PIN that `voucher` vouches for, and its M3. A phone that opened no box for it brings a key of its own.
    func settingPIN(_ voucher: AttemptID, epoch: UInt32 = 2, byBiometric: Bool = false) async throws -> NewPIN {
        let attempt = try trying(.pinChangeSet, voucher.bytes, epoch: epoch)
        let tried = try await send(attempt)
        let change = try raw.settingPIN(
            attempt.asked, evaluationKey: tried.evaluation?.evaluationKey, attempt.message.ephemeral, byBiometric: byBiometric)
        return NewPIN(tried: tried, change: change)
    }

    /// The whole of a change, verified by the PIN.
    @discardableResult
    func changePIN(from epoch: UInt32 = 1) async throws -> M4 {
        let verified = try await provingByPIN(.pinChangeVerify, epoch: epoch)
        _ = try await complete(verified)
        return try await complete(try await settingPIN(verified.attempt, epoch: epoch + 1).change)
    }

    /// The same phone with the second-factor key of a new box.
    func rekeyed() throws -> TestPhone {
        var phone = self
        phone.raw = try raw.rekeyed()
        return phone
    }

    /// L1 to L6 by PIN in another epoch than the first.
    @discardableResult
    func logIn(epoch: UInt32, _ browser: String = "browser") async throws -> L6 {
        let shown = try await look(at: try await world.link(browser))
        return try await decide(try accepting(shown, try await send(try trying(shown, epoch: epoch))))
    }
}
