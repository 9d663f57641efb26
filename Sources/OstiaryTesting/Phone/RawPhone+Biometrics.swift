import Crypto
import OstiaryProtocol

/// A biometric, beside a PIN or on its own.
extension RawPhone {
    /// What an Attempt of a biometric on its own says: nothing is blinded and nothing sealed.
    package struct OwnAttempt: Sendable {
        package var instance: InstanceID
        package var id: AttemptID
        package var sessionHash: [UInt8]
        package var context: SecondFactorContext
        package var epoch: UInt32
        package var blindedHash = [UInt8](repeating: 0, count: 32)
        package var sealedHash = [UInt8](repeating: 0, count: 32)
        package var ephemeralHash: [UInt8]
        package var madeAt: Instant
    }

    package func ownAttempt(
        _ context: SecondFactorContext, _ sessionHash: [UInt8], _ ephemeral: EphemeralKey, id: AttemptID? = nil, epoch: UInt32 = 1, at time: Instant
    ) -> OwnAttempt {
        OwnAttempt(
            instance: instance, id: id ?? AttemptID(using: random), sessionHash: sessionHash, context: context, epoch: epoch,
            ephemeralHash: SHA(ephemeral.publicKey), madeAt: time)
    }

    package func sign(_ own: OwnAttempt) throws -> Encoded<Attempt> {
        try sign(
            Attempt(
                instanceID: own.instance, attemptID: own.id, sessionHash: own.sessionHash, context: own.context, epoch: own.epoch,
                blindedHash: own.blindedHash, sealedHash: own.sealedHash, ephemeralHash: own.ephemeralHash, madeAt: own.madeAt))
    }

    /// bioSig.
    /// - Parameter key: what another finger would make.
    package func biometricSignature(
        _ attempt: AttemptID, _ context: SecondFactorContext, _ sessionHash: [UInt8], madeAt: Instant, by key: P256.Signing.PrivateKey? = nil
    ) throws -> [UInt8] {
        let content = Transcript.biometric(instance: instance, attempt: attempt, context: context, sessionHash: sessionHash, madeAt: madeAt)
        return Array(try (key ?? biometricKey).signature(for: signatureInput(.bio, content)).rawRepresentation)
    }

    package func biometricSignature(of attempt: Attempt, by key: P256.Signing.PrivateKey? = nil) throws -> [UInt8] {
        try biometricSignature(attempt.attemptID, attempt.context, attempt.sessionHash, madeAt: attempt.madeAt, by: key)
    }
}
