import Authentication
import Crypto
import OstiaryProtocol

/// Operations on the second factor that belong to no session.
extension TestPhone {
    /// What an M3 says, to be changed by tests before it is signed.
    struct Change: Sendable {
        var context: SecondFactorContext
        var payload: [UInt8] = []
        var method: Methods = .pin
        var epoch: UInt32 = 1
        var attempt: AttemptID
        var secondFactorKey: [UInt8]?
        var ownAttempt: Encoded<Attempt>?
        var secondFactorSignature: [UInt8]?
        var biometricSignature: [UInt8]?
        var account: AccountID?
        var instance: InstanceID?
        let ephemeral: EphemeralKey
    }

    func operationHash(_ context: SecondFactorContext, _ payload: [UInt8], epoch: UInt32 = 1) -> [UInt8] {
        Transcript.operation(context, instance: instance, epoch: epoch, payload: payload)
    }

    /// M1 of an operation.
    func trying(_ context: SecondFactorContext, _ payload: [UInt8], epoch: UInt32 = 1, ephemeral: EphemeralKey? = nil) throws -> Try {
        try attempt(
            context, sessionHash: operationHash(context, payload, epoch: epoch), payload: payload, account: try present(account),
            ephemeral: try ephemeral ?? self.ephemeral(), epoch: epoch)
    }

    func changing(_ change: Change) throws -> Outgoing {
        try fresh(
            M3(
                accountID: try present(change.account ?? account), instanceID: change.instance ?? instance, attemptID: change.attempt,
                context: change.context, method: change.method, epoch: change.epoch, payload: change.payload,
                secondFactorKey: change.secondFactorKey, attempt: change.ownAttempt, secondFactorSignature: change.secondFactorSignature,
                biometricSignature: change.biometricSignature), ephemeral: change.ephemeral)
    }

    func complete(_ change: Change) async throws -> M4 { try M4(decoding: try await world.deliver(try changing(change)).body) }

    /// M1 and M2, and the M3 that the right PIN makes of them.
    func provingByPIN(_ context: SecondFactorContext, _ payload: [UInt8] = [], epoch: UInt32 = 1) async throws -> Change {
        let attempt = try trying(context, payload, epoch: epoch)
        let tried = try await send(attempt)
        return Change(
            context: context, payload: payload, epoch: epoch, attempt: tried.id, secondFactorSignature: try secondFactorSignature(tried),
            ephemeral: attempt.message.ephemeral)
    }

    /// The M3 of a biometric on its own.
    func provingByBiometric(_ context: SecondFactorContext, _ payload: [UInt8] = [], epoch: UInt32 = 1) throws -> Change {
        let ephemeral = try ephemeral()
        let hash = operationHash(context, payload, epoch: epoch)
        let own = ownAttempt(context, hash, ephemeral, epoch: epoch)
        return Change(
            context: context, payload: payload, method: .bio, epoch: epoch, attempt: own.id, ownAttempt: try signed(own),
            biometricSignature: try biometricSignature(own.id, context, hash, madeAt: own.madeAt), ephemeral: ephemeral)
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
        var change = Change(
            context: .pinChangeSet, payload: voucher.bytes, method: byBiometric ? .bio : .pin, epoch: epoch, attempt: tried.id,
            secondFactorKey: secondFactorPublicKey, secondFactorSignature: try secondFactorSignature(tried), ephemeral: attempt.message.ephemeral)
        if byBiometric {
            change.biometricSignature = try biometricSignature(
                tried.id, .pinChangeSet, tried.sessionHash, madeAt: attempt.attempt.value.madeAt)
        }
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
        phone.secondFactorKey = try Curve25519.Signing.PrivateKey(rawRepresentation: random.bytes(32))
        return phone
    }

    /// L1 to L6 by PIN in another epoch than the first.
    @discardableResult
    func logIn(epoch: UInt32, _ browser: String = "browser") async throws -> L6 {
        let shown = try await look(at: try await world.link(browser))
        return try await decide(try accepting(shown, try await send(try trying(shown, epoch: epoch))))
    }
}
