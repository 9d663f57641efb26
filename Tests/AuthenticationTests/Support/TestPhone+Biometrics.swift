import Authentication
import Crypto
import Foundation
import OstiaryProtocol

/// A biometric of this phone: a key that signs once the person shows a finger or a face.
extension TestPhone {
    /// One key for each phone; `other` is what another finger would make.
    func biometricKey(other: Bool = false) throws -> P256.Signing.PrivateKey {
        try P256.Signing.PrivateKey(rawRepresentation: SHA(Array("\(other ? "other" : "own") biometric of \(name)".utf8)))
    }

    func biometricPublicKey() throws -> [UInt8] { Array(try biometricKey().publicKey.x963Representation) }

    func biometricSignature(
        _ attempt: AttemptID, _ context: SecondFactorContext, _ sessionHash: [UInt8], madeAt: Instant, other: Bool = false
    ) throws -> [UInt8] {
        let content = Transcript.biometric(
            instance: instance, attempt: attempt, context: context, sessionHash: sessionHash, madeAt: madeAt)
        return Array(try biometricKey(other: other).signature(for: Data(signatureInput(.bio, content))).rawRepresentation)
    }

    /// What an Attempt of a biometric on its own says, to be changed by tests before it is signed.
    struct OwnAttempt: Sendable {
        var instance: InstanceID
        var id: AttemptID
        var sessionHash: [UInt8]
        var context: SecondFactorContext
        var epoch: UInt32 = 1
        var blindedHash = [UInt8](repeating: 0, count: 32)
        var sealedHash = [UInt8](repeating: 0, count: 32)
        var ephemeralHash: [UInt8]
        var madeAt: Instant
    }

    func ownAttempt(_ context: SecondFactorContext, _ sessionHash: [UInt8], _ ephemeral: EphemeralKey, epoch: UInt32 = 1) -> OwnAttempt {
        OwnAttempt(
            instance: instance, id: AttemptID(using: random), sessionHash: sessionHash, context: context, epoch: epoch,
            ephemeralHash: SHA(ephemeral.publicKey), madeAt: world.now)
    }

    func signed(_ own: OwnAttempt) throws -> Encoded<Attempt> {
        try Encoded(
            Attempt(
                instanceID: own.instance, attemptID: own.id, sessionHash: own.sessionHash, context: own.context, epoch: own.epoch,
                blindedHash: own.blindedHash, sealedHash: own.sealedHash, ephemeralHash: own.ephemeralHash, madeAt: own.madeAt), signedBy: sign)
    }

    /// L5 by a biometric alone.
    func acceptingByBiometric(_ shown: Shown, epoch: UInt32 = 1, _ change: (inout OwnAttempt) -> Void = { _ in }) throws -> Outgoing {
        let hash = shown.hash(for: try present(account))
        var own = ownAttempt(.verify, hash, shown.ephemeral, epoch: epoch)
        let id = own.id
        change(&own)
        var choice = Choice(method: .bio, attempt: id, ownAttempt: try signed(own))
        choice.biometricSignature = try biometricSignature(id, .verify, hash, madeAt: own.madeAt)
        return try deciding(shown, choice)
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
