import Crypto
import Foundation
import OstiaryProtocol

/// The second factor of an enrolment, and E3: a first PIN is set, or the PIN that this app already has here vouches (protocol §5, §7).
extension Engine {
    /// Makes the account at the server. Whatever E3 depends on is durable before E3 is sent.
    func make(_ id: Session.ID, _ enrolment: Enrolment) async throws(OstiaryError) -> E4 {
        do throws(OstiaryError) {
            guard enrolment.shown.secondFactor != .none else {
                guard let made = try await send(enrolment, instance: nil, proof: nil, session: id) else { throw .secondFactorUnavailable }
                return made
            }
            let vouchers = try known().vouchers(at: enrolment.rootHash)
            for voucher in vouchers {
                do throws(OstiaryError) { return try await vouch(id, enrolment, by: voucher) } catch {
                    guard error.saysThatVoucherIsGone else { throw error }
                }
            }
            // Also where the PINs of this app are known to the servers no more; the server that keeps the new one stays the one that was trusted.
            return try await setFirstPIN(id, enrolment, pinned: vouchers.first?.instance.secondFactorRootHash)
        } catch {
            if !error.leavesServerUnsure { drop(enrolment.shown.accountID) }
            throw error
        }
    }

    private func vouch(
        _ id: Session.ID, _ enrolment: Enrolment, by voucher: (account: StoredAccount, instance: StoredInstance)
    ) async throws(OstiaryError) -> E4 {
        let instance = voucher.instance
        let challenge = Challenge(
            context: .enrol, session: id, account: voucher.account.id, keyName: voucher.account.keyName, instance: instance,
            binding: .operation, payload: enrolment.payload, rootHash: enrolment.rootHash, ephemeral: enrolment.ephemeral,
            prekey: try await secondFactorPrekey(
                enrolment.shown.secondFactorPrekey, at: enrolment.rootHash, pinned: instance.secondFactorRootHash, for: id))
        let question = OpenQuestion(challenge)
        return try await closing(question) { () async throws(OstiaryError) in
            try await verify(question) { proof throws(OstiaryError) in
                let proof = EnrolmentProof(question.challenge, proof)
                let made = try await send(enrolment, instance: question.challenge.instance, proof: proof, session: id)
                return made.map { .done($0) } ?? .declined(.secondFactorUnavailable)
            }
        }
    }

    private func setFirstPIN(_ id: Session.ID, _ enrolment: Enrolment, pinned: StoredBytes?) async throws(OstiaryError) -> E4 {
        guard let serverShare = enrolment.shown.serverShare.map({ SecretBytes($0) }) else { throw .serverAnswer }
        let prekey = try await secondFactorPrekey(enrolment.shown.secondFactorPrekey, at: enrolment.rootHash, pinned: pinned, for: id)
        try keyStore { (keys) throws(KeyStoreError) in try keys.store(random.bytes(32), named: enrolment.secretName) }
        let instance = StoredInstance(
            id: InstanceID(using: random), rootHash: StoredBytes(enrolment.rootHash),
            secondFactorRootHash: StoredBytes(try await server(enrolment.rootHash).verified.bundle.secondFactorRootHash),
            deviceSecretName: enrolment.secretName, epoch: 1, box: StoredBytes([]), tries: .none,
            pinUse: StoredPINUse(lastPIN: now(at: enrolment.rootHash).seconds), pinPolicy: StoredPINPolicy(enrolment.shown.pinPolicy))
        let challenge = Challenge(
            context: .firstSet, session: id, account: enrolment.shown.accountID, keyName: enrolment.keyName, instance: instance,
            binding: .operation, payload: enrolment.payload, rootHash: enrolment.rootHash, ephemeral: enrolment.ephemeral, prekey: prekey)
        let question = OpenQuestion(challenge)
        return try await closing(question) { () async throws(OstiaryError) in
            try await ask(question) { input throws(OstiaryError) in
                switch input {
                case .pin(let pin), .both(let pin, _): try await set(pin, serverShare, question.challenge, enrolment)
                case .biometrics: .again(.failed)
                }
            }
        }
    }

    /// One first PIN.
    private func set(
        _ pin: LockedBytes, _ serverShare: SecretBytes, _ challenge: Challenge, _ enrolment: Enrolment
    ) async throws(OstiaryError) -> Round<E4> {
        if let refusal = Self.refusal(of: pin, enrolment.shown.pinPolicy) {
            complain(refusal, about: challenge)
            return .again(.failed)
        }
        // A new try each time: what is sealed under its key is sealed once.
        let attempt = try await makeTry(pin, for: challenge, unsettled: nil, parameters: .standard)
        switch try await evaluate(attempt, for: challenge, pinnedKey: nil) {
        case .unavailable: return .again(.error)
        case .penalised, .blocked, .otherEpoch: throw .serverAnswer
        case .counted(let evaluation):
            let master = SecretBytes(random.bytes(32))
            let box = try PINComputation.seal(master, attempt.stretched, serverShare: serverShare, evaluation)
            let proof = try EnrolmentProof(setting: challenge, attempt.attempt, master, evaluation)
            var instance = challenge.instance.holding(box)
            instance.tries = StoredTries(evaluation.tries, blocked: false, heardAt: ports.clock)
            guard let made = try await send(enrolment, instance: instance, proof: proof, session: challenge.session) else {
                throw .secondFactorUnavailable
            }
            return .done(made)
        }
    }

    /// Why a PIN may not be set; nil when it may.
    static func refusal(of pin: LockedBytes, _ policy: PINPolicy) -> OstiaryError? {
        guard (Int(policy.fewestDigits)...Int(policy.mostDigits)).contains(pin.count) else { return .pinLength }
        return policy.refusesEasy && pin.withUnsafeBytes { EasyPIN.includes($0) } ? .pinEasyToGuess : nil
    }

    /// Stores the account and its instance, then sends E3 until its outcome is known; nil when the second-factor server could not be asked.
    private func send(
        _ enrolment: Enrolment, instance: StoredInstance?, proof: EnrolmentProof?, session id: Session.ID
    ) async throws(OstiaryError) -> E4? {
        try await storeUnacknowledged(enrolment, instance)
        let account = enrolment.shown.accountID
        flow?.farewell = { engine, _ in engine.discard(account) }
        let message = E3(
            enrolHash: enrolment.hash, decision: .accept, instanceID: instance?.id, attemptID: proof?.attempt, context: proof?.context ?? .enrol,
            epoch: instance?.epoch ?? 0, secondFactorKey: proof?.newKey, secondFactorSignature: proof?.signature)
        let exchanged = try await untilSettled { () async throws(OstiaryError) in
            try await reaching(for: id) { () async throws(OstiaryError) in
                try await exchange(with: enrolment.rootHash, enrolment.ephemeral) { _ throws(OstiaryError) in
                    try sign(message, with: enrolment.keyName).bytes
                }
            }
        }
        switch exchanged.answer.status {
        case .secondFactorUnavailable, .busy: return nil
        case .enrolUsed, .linkOld: throw .enrolmentExpired
        default: break
        }
        let body = try body(of: exchanged, about: nil, at: enrolment.rootHash)
        guard let made = try? E4(decoding: body) else { throw .serverAnswer }
        try checkNotAborted()
        return made
    }

    private func storeUnacknowledged(_ enrolment: Enrolment, _ instance: StoredInstance?) async throws(OstiaryError) {
        let server = try await server(enrolment.rootHash).stored
        let account = StoredAccount(
            id: enrolment.shown.accountID, rootHash: StoredBytes(enrolment.rootHash), instance: instance?.id, keyName: enrolment.keyName,
            username: enrolment.shown.displayName, displayName: enrolment.shown.displayName, state: .enrolling,
            enrolHash: StoredBytes(enrolment.hash), createdAt: ports.clock.wall)
        try write { (state) throws(OstiaryError) in
            guard state.account(account.id) == nil else { return }
            state.keep(server)
            state.accounts.append(account)
            if let instance, state.instance(instance.id) == nil { state.instances.append(instance) }
            if instance?.deviceSecretName != enrolment.secretName { state.discarded.append(enrolment.secretName) }
            state.claims.removeAll { $0.enrolment == enrolment.id }
        }
    }
}

/// What E3 shows of the second factor.
struct EnrolmentProof: Sendable {
    let attempt: AttemptID
    let context: SecondFactorContext
    let signature: [UInt8]
    /// pkSf, when the PIN was set just now.
    let newKey: [UInt8]?

    /// Of the PIN that there is.
    init(_ challenge: Challenge, _ proof: FactorProof) {
        attempt = proof.attempt
        context = challenge.context
        signature = proof.secondFactorSignature ?? []
        newKey = nil
    }

    /// Of a PIN that was set: signed with the new second-factor key, over the key of the evaluation as well.
    init(setting challenge: Challenge, _ attempt: AttemptID, _ master: SecretBytes, _ evaluation: Evaluation) throws(OstiaryError) {
        let key = try PINComputation.key(master)
        let publicKey = Array(key.publicKey.rawRepresentation)
        self.attempt = attempt
        context = challenge.context
        newKey = publicKey
        signature = edwardsSignature(
            key, .secondFactorSet,
            Transcript.secondFactorSet(
                instance: challenge.instance.id, attempt: attempt, context: challenge.context, sessionHash: challenge.sessionHash,
                evaluationKey: evaluation.evaluationKey, secondFactorKey: publicKey))
    }
}

extension StoredInstance {
    func holding(_ box: PINBox) -> StoredInstance {
        var instance = self
        instance.box = StoredBytes(box.encoded)
        return instance
    }
}
