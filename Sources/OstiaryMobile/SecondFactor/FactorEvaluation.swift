import OstiaryProtocol

/// One try: kept until its outcome is known, so that a repeat is the same try and costs nothing.
struct PINTry: Sendable {
    let attempt: AttemptID
    let stretched: StretchedPIN
    let blinding: PINBlinding
    /// By the monotonic clock.
    let madeAt: UInt64
    /// By the server's clock; all repeats bear it, because a biometric signature may cover it.
    let stamp: Instant

    /// The second-factor server takes the proof of an evaluation for 120 s; a try that is nearly as old is not repeated.
    static let longestLife: UInt64 = 90
}

/// What the servers made of a try.
enum Evaluated: Sendable {
    case counted(Evaluation)
    case penalised(Tries)
    case blocked(Tries)
    /// The PIN of another epoch counts now; nothing was counted.
    case otherEpoch(UInt32)
    /// A server could not be asked, or was busy for too long; perhaps nothing was counted.
    case unavailable
}

struct Evaluation: Sendable {
    let y: SecretBytes
    /// Nil where it came with E2.
    let serverShare: SecretBytes?
    /// pkK, which made `y`.
    let evaluationKey: [UInt8]
    let tries: Tries
    /// The time stamp of the Attempt that was counted.
    let stamp: Instant
}

/// One attempt of a PIN at both servers: M1 and M2 (protocol §7).
extension Engine {
    /// A new try of this PIN, or the one that was left without an outcome if the digits are the same.
    func makeTry(_ pin: LockedBytes, for challenge: FactorChallenge, unsettled: PINTry?, parameters: Argon2id.Parameters) async throws(OstiaryError)
        -> PINTry
    {
        let secret = try keyStore { (keys) throws(KeyStoreError) in try keys.secret(named: challenge.instance.deviceSecretName) }
        let stretched = try await PINComputation.prepare(
            pin, deviceSecret: SecretBytes(secret), scope: challenge.scope, parameters: parameters, by: ports.stretching)
        try checkNotAborted()
        let now = ports.clock.monotonic
        if let unsettled, now < unsettled.madeAt + PINTry.longestLife, unsettled.stretched.bytes.matches(stretched.bytes) { return unsettled }
        return PINTry(
            attempt: AttemptID(using: random), stretched: stretched, blinding: try PINComputation.blind(stretched), madeAt: now,
            stamp: self.now(at: challenge.rootHash))
    }

    /// Asks for the evaluation of a try, with the same attempt id until there is an answer; gives up after 15 seconds of waiting.
    func evaluate(_ attempt: PINTry, for challenge: FactorChallenge, pinnedKey: [UInt8]?) async throws(OstiaryError) -> Evaluated {
        let asked: Asked
        do throws(OstiaryError) {
            asked = try await ask(attempt, for: challenge)
        } catch {
            guard error.isLostAnswer else { throw error }
            return .unavailable
        }
        try checkNotAborted()
        let exchanged = asked.exchanged
        switch exchanged.status {
        case .busy, .secondFactorUnavailable, .sequence: return .unavailable
        case .penalised: return .penalised(try m2(exchanged.answer.body).tries)
        case .blocked: return .blocked(try m2(exchanged.answer.body).tries)
        case .wrongEpoch: return .otherEpoch(try m2(exchanged.answer.body).epoch)
        default: break
        }
        let answer = try challenge.line().accept(exchanged, as: M2.self, by: self).value
        do throws(OstiaryError) {
            return .counted(try await read(answer, asked, attempt, challenge, pinnedKey: pinnedKey))
        } catch .serverConnection {
            // Counted, but who signed it cannot be looked up now. The same digits are the same try.
            return .unavailable
        }
    }

    /// M1 as it was sent last, and its answer.
    private struct Asked {
        let exchanged: Exchanged
        let sealed: SealedRequest
        let stamp: Instant
    }

    /// A second-factor server that lost the key the try was sealed to refuses it like any nonsense, and counts nothing. Where it has another key by
    /// now, the same try is sealed to that one, once.
    private func ask(_ attempt: PINTry, for challenge: FactorChallenge) async throws(OstiaryError) -> Asked {
        let asked = try await askOnce(attempt, for: challenge)
        guard asked.exchanged.status == .refused, let prekey = try await secondFactorPrekey(after: challenge.prekey, of: challenge) else {
            return asked
        }
        var renewed = challenge
        renewed.prekey = prekey
        return try await askOnce(attempt, for: renewed)
    }

    private func askOnce(_ attempt: PINTry, for challenge: FactorChallenge) async throws(OstiaryError) -> Asked {
        let secondFactor = try await secondFactorRoot(of: challenge)
        var sealed: SealedRequest?
        var stamp = attempt.stamp
        let exchanged = try await challenge.line(patience: 15, waitsOutBusy: true).send(by: self) { (sentAt, _) throws(OstiaryError) in
            // Too old for the servers only if the device's clock was wrong when the try was made.
            if sentAt.distance(to: stamp) > PINTry.longestLife { stamp = sentAt }
            let (message, inner) = try makeM1(attempt, challenge, of: secondFactor, at: sentAt, stamp: stamp)
            sealed = inner
            return message
        }
        guard let sealed else { throw .serverAnswer }
        return Asked(exchanged: exchanged, sealed: sealed, stamp: stamp)
    }

    private func m2(_ body: [UInt8]) throws(OstiaryError) -> M2 {
        guard let answer = try? M2(decoding: body) else { throw .serverAnswer }
        return answer
    }

    private func makeM1(
        _ attempt: PINTry, _ challenge: FactorChallenge, of root: Root, at sentAt: Instant, stamp: Instant
    ) throws(OstiaryError) -> ([UInt8], SealedRequest) {
        let blinded = attempt.blinding.blindedElement
        let inner = try seal(blinded, to: challenge.prekey, of: root, challenge.ephemeral, at: sentAt)
        let signed = try sign(
            Attempt(
                instanceID: challenge.instance.id, attemptID: attempt.attempt, sessionHash: challenge.sessionHash, context: challenge.context,
                epoch: challenge.instance.epoch, blindedHash: SHA(blinded), sealedHash: inner.hash, ephemeralHash: SHA(challenge.ephemeral.publicKey),
                madeAt: stamp),
            with: challenge.keyName)
        let message = M1(
            accountID: challenge.account, attempt: signed, payload: challenge.payload, sealed: inner.bytes, about: challenge.question)
        return (message.encoded, inner)
    }

    /// Opens what the second-factor server sealed for this phone alone, and checks that the pinned key made it.
    private func read(
        _ answer: M2, _ asked: Asked, _ attempt: PINTry, _ challenge: FactorChallenge, pinnedKey: [UInt8]?
    ) async throws(OstiaryError) -> Evaluation {
        let inner = try await open(answer.sealed, to: asked.sealed, of: challenge)
        guard inner.status == .ok, let evaluation = try? SecondFactorEvaluation(decoding: inner.body), evaluation.attemptID == attempt.attempt
        else { throw .serverAnswer }
        guard let key = pinnedKey ?? evaluation.evaluationKey else { throw .serverAnswer }
        do throws(PINBlindingError) {
            let y = try attempt.blinding.finish(evaluation: evaluation.evaluation, pinnedKey: key)
            return Evaluation(
                y: y, serverShare: answer.serverShare.map { SecretBytes($0) }, evaluationKey: key, tries: evaluation.tries, stamp: asked.stamp)
        } catch {
            switch error {
            case .unavailable: throw .lockedMemory
            case .malformed: throw .serverAnswer
            case .serverIdentity: throw .serverIdentity
            }
        }
    }
}
