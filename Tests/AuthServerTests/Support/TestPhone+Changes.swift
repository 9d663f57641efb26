import Authentication
import Crypto
import Foundation
import OstiaryProtocol
import Testing

/// Biometrics and changes of the PIN, over both real servers.
extension EnrolledPhone {
    /// A biometric key that signs whenever it is asked.
    static let finger = P256.Signing.PrivateKey()
    static var fingerKey: [UInt8] { Array(finger.publicKey.x963Representation) }

    private func biometricSignature(
        _ attempt: AttemptID, _ context: SecondFactorContext, _ sessionHash: [UInt8], madeAt: Instant
    ) throws -> [UInt8] {
        let content = Transcript.biometric(
            instance: phone.instance, attempt: attempt, context: context, sessionHash: sessionHash, madeAt: madeAt)
        return Array(try Self.finger.signature(for: Data(signatureInput(.bio, content))).rawRepresentation)
    }

    private func ownAttempt(
        _ context: SecondFactorContext, _ sessionHash: [UInt8], _ ephemeral: EphemeralKey, epoch: UInt32
    ) throws -> Encoded<Attempt> {
        let zeros = [UInt8](repeating: 0, count: 32)
        return try Encoded(
            Attempt(
                instanceID: phone.instance, attemptID: AttemptID(using: SystemRandomSource()), sessionHash: sessionHash, context: context,
                epoch: epoch, blindedHash: zeros, sealedHash: zeros, ephemeralHash: SHA(ephemeral.publicKey), madeAt: servers.now),
            signedBy: phone.sign)
    }

    func operationHash(_ context: SecondFactorContext, _ payload: [UInt8], epoch: UInt32) -> [UInt8] {
        Transcript.operation(context, instance: phone.instance, epoch: epoch, payload: payload)
    }

    private func complete(_ message: M3, _ ephemeral: EphemeralKey) async throws -> M4 {
        let freshness = SealedRequest.freshness(ephemeral: ephemeral.publicKey, at: servers.now)
        let answer = try await phone.send(try Encoded(message, freshness: freshness, signedBy: phone.sign).bytes, ephemeral)
        guard answer.status == .ok else { throw answer.status }
        return try M4(decoding: answer.body)
    }

    /// M1 to M4 of an operation that the PIN proves; answers its attempt too, which may vouch for a new PIN.
    @discardableResult
    func proveByPIN(_ context: SecondFactorContext, _ payload: [UInt8] = [], epoch: UInt32 = 1) async throws -> (attempt: AttemptID, M4) {
        let ephemeral = try TestPhone.ephemeral()
        let attempt = try TestAttempt(
            operationHash(context, payload, epoch: epoch), context: context, payload: payload, account: account, ephemeral: ephemeral, epoch: epoch)
        let evaluated = try await phone.evaluate(attempt)
        guard evaluated.status == .ok else { throw evaluated.status }
        let message = M3(
            accountID: account, instanceID: phone.instance, attemptID: attempt.id, context: context, method: .pin, epoch: epoch, payload: payload,
            secondFactorSignature: try phone.prove(attempt))
        return (attempt.id, try await complete(message, ephemeral))
    }

    /// M3 and M4 of an operation that a biometric proves.
    @discardableResult
    func proveByBiometric(_ context: SecondFactorContext, _ payload: [UInt8] = [], epoch: UInt32 = 1) async throws -> (attempt: AttemptID, M4) {
        let ephemeral = try TestPhone.ephemeral()
        let hash = operationHash(context, payload, epoch: epoch)
        let own = try ownAttempt(context, hash, ephemeral, epoch: epoch)
        let message = M3(
            accountID: account, instanceID: phone.instance, attemptID: own.value.attemptID, context: context, method: .bio, epoch: epoch,
            payload: payload, attempt: own,
            biometricSignature: try biometricSignature(own.value.attemptID, context, hash, madeAt: own.value.madeAt))
        return (own.value.attemptID, try await complete(message, ephemeral))
    }

    /// M1 to M4 of a new PIN.
    func setPIN(_ voucher: AttemptID, epoch: UInt32, byBiometric: Bool = false) async throws -> M4 {
        let ephemeral = try TestPhone.ephemeral()
        let attempt = try TestAttempt(
            operationHash(.pinChangeSet, voucher.bytes, epoch: epoch), context: .pinChangeSet, payload: voucher.bytes, account: account,
            ephemeral: ephemeral, epoch: epoch)
        let evaluated = try await phone.evaluate(attempt)
        guard evaluated.status == .ok else { throw evaluated.status }
        #expect(evaluated.m2?.serverShare != nil)
        let message = M3(
            accountID: account, instanceID: phone.instance, attemptID: attempt.id, context: .pinChangeSet, method: byBiometric ? .bio : .pin,
            epoch: epoch, payload: voucher.bytes, secondFactorKey: phone.pkSf,
            secondFactorSignature: try phone.set(attempt, try #require(evaluated.evaluation)),
            biometricSignature: byBiometric
                ? try biometricSignature(attempt.id, .pinChangeSet, attempt.sessionHash, madeAt: servers.now) : nil)
        return try await complete(message, ephemeral)
    }

    func logInByBiometric(_ nonce: SessionNonce, epoch: UInt32 = 1) async throws -> L6 {
        let shown = try await scan(try await servers.link(nonce))
        let own = try ownAttempt(.verify, shown.sessionHash, shown.ephemeral, epoch: epoch)
        let signature = try biometricSignature(own.value.attemptID, .verify, shown.sessionHash, madeAt: own.value.madeAt)
        return try await shown.send(
            try Encoded(
                L5(
                    sessionID: shown.screen.sessionID, sessionHash: shown.sessionHash, accountID: account, attemptID: own.value.attemptID,
                    decision: .accept, method: .bio, biometricSignature: signature, attempt: own, offer: shown.screen.offer), signedBy: phone.sign))
    }
}
