import Authentication
import OstiaryProtocol
import OstiaryTesting

/// A biometric of this phone.
extension TestPhone {
    func biometricPublicKey() throws -> [UInt8] { raw.biometricPublicKey }

    /// - Parameter other: whether another finger is shown.
    func biometricSignature(
        _ attempt: AttemptID, _ context: SecondFactorContext, _ sessionHash: [UInt8], madeAt: Instant, other: Bool = false
    ) throws -> [UInt8] {
        let key = other ? try RawPhone("other finger of \(name)").biometricKey : raw.biometricKey
        return try raw.biometricSignature(attempt, context, sessionHash, madeAt: madeAt, by: key)
    }

    func ownAttempt(_ context: SecondFactorContext, _ sessionHash: [UInt8], _ ephemeral: EphemeralKey, epoch: UInt32 = 1) -> OwnAttempt {
        raw.ownAttempt(context, sessionHash, ephemeral, epoch: epoch, at: world.now)
    }

    func signed(_ own: OwnAttempt) throws -> Encoded<Attempt> { try raw.sign(own) }

    /// L5 by a biometric alone.
    func acceptingByBiometric(_ shown: Shown, epoch: UInt32 = 1, _ change: (inout OwnAttempt) -> Void = { _ in }) throws -> Outgoing {
        let message = try raw.acceptingByBiometric(shown, by: try present(account), epoch: epoch, at: world.now, change)
        return outgoing(message.bytes, shown.ephemeral)
    }

    /// L5 by the PIN that was evaluated and a biometric beside it.
    func acceptingByBoth(_ shown: Shown, _ tried: Tried, madeAt: Instant, otherFinger: Bool = false) throws -> Outgoing {
        var choice = Choice(method: [.pin, .bio], attempt: tried.id, secondFactorSignature: try secondFactorSignature(tried))
        choice.biometricSignature = try biometricSignature(tried.id, .verify, tried.sessionHash, madeAt: madeAt, other: otherFinger)
        return try deciding(shown, choice)
    }

    /// L1 to L6 by a biometric.
    @discardableResult
    func logInByBiometric(_ browser: String = "browser", epoch: UInt32 = 1) async throws -> L6 {
        try await decide(try acceptingByBiometric(try await look(at: try await world.link(browser)), epoch: epoch))
    }
}
