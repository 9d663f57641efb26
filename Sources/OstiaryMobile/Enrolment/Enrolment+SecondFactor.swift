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
                    guard error.saysThatVoucherIsGone, try isThere(enrolment.upgraded) else { throw error }
                }
            }
            // Also where the PINs of this app are known to the servers no more; the server that keeps the new one stays the one that was trusted.
            return try await setFirstPIN(id, enrolment, pinned: vouchers.first?.instance.secondFactorRootHash)
        } catch {
            // One that was there before stays, and what was set for it stays too: a copy of the decision may be under way.
            if !error.leavesServerUnsure, enrolment.upgraded == nil { _ = try? remove(enrolment.shown.accountID, because: .neverMade) }
            throw error
        }
    }

    /// Whether the account that was to be upgraded has not gone meanwhile.
    private func isThere(_ account: AccountID?) throws(OstiaryError) -> Bool {
        guard let account else { return true }
        return try known().account(account) != nil
    }

    private func vouch(
        _ id: Session.ID, _ enrolment: Enrolment, by voucher: (account: StoredAccount, instance: StoredInstance)
    ) async throws(OstiaryError) -> E4 {
        let instance = voucher.instance
        let challenge = FactorChallenge(
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
        let challenge = FactorChallenge(
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
        _ pin: LockedBytes, _ serverShare: SecretBytes, _ challenge: FactorChallenge, _ enrolment: Enrolment
    ) async throws(OstiaryError) -> Round<E4> {
        try await set(pin, for: challenge, by: NewPIN.Rules(policy: enrolment.shown.pinPolicy), serverShare: serverShare) {
            new throws(OstiaryError) in
            var instance = challenge.instance
            instance.box = StoredBytes(new.box.encoded)
            instance.tries = StoredTries(new.tries, blocked: false, by: .secondFactor, heardAt: ports.clock)
            let proof = EnrolmentProof(challenge, new)
            guard let made = try await send(enrolment, instance: instance, proof: proof, session: challenge.session) else {
                throw .secondFactorUnavailable
            }
            return .done(made)
        }
    }

    /// Stores the account and its instance, then sends E3 until its outcome is known; nil when the second-factor server could not be asked.
    private func send(
        _ enrolment: Enrolment, instance: StoredInstance?, proof: EnrolmentProof?, session id: Session.ID
    ) async throws(OstiaryError) -> E4? {
        let account = enrolment.shown.accountID
        if enrolment.upgraded == nil {
            try await storeUnacknowledged(enrolment, instance)
            flow?.onAbort = { engine, _ in engine.abandon(account) }
        } else {
            try storeUpgrade(enrolment, instance)
            flow?.onAbort = nil
        }
        let message = E3(
            enrolHash: enrolment.hash, decision: .accept, instanceID: instance?.id, attemptID: proof?.attempt, context: proof?.context ?? .enrol,
            epoch: instance?.epoch ?? 0, secondFactorKey: proof?.newKey, secondFactorSignature: proof?.signature)
        let answer = try await enrolment.line(session: id, waitsOutBusy: true).ask(
            message, for: E4.self, declining: { [.secondFactorUnavailable, .busy, .enrolUsed, .linkOld].contains($0) }, by: self)
        switch answer {
        case .declined(.enrolUsed), .declined(.linkOld): throw .enrolmentExpired
        case .declined: return nil
        case .done(let made):
            try checkNotAborted()
            return made.value
        }
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

extension Engine {
    /// The second factor of a headless account, before the server can have heard of it: whatever ends this process now, the account asks for data as before,
    /// and what became of its second factor is found out. What an upgrade before this one left is over, because the server has begun this one.
    private func storeUpgrade(_ enrolment: Enrolment, _ instance: StoredInstance?) throws(OstiaryError) {
        guard let instance else { throw .serverAnswer }
        let id = enrolment.shown.accountID
        let upgrade = StoredUpgrade(instance: instance.id, enrolHash: StoredBytes(enrolment.hash), startedAt: ports.clock.wall)
        try write { (state) throws(OstiaryError) in
            guard let account = state.account(id) else { throw .accountDeleted }
            if state.instance(instance.id) == nil { state.instances.append(instance) }
            if account.upgrade?.instance != instance.id { state.dropUpgrade(of: id) }
            state.setAccount(id) { $0.upgrade = upgrade }
            if instance.deviceSecretName != enrolment.secretName { state.discarded.append(enrolment.secretName) }
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
    init(_ challenge: FactorChallenge, _ proof: FactorProof) {
        attempt = proof.attempt
        context = challenge.context
        signature = proof.secondFactorSignature ?? []
        newKey = nil
    }

    /// Of a PIN that was set.
    init(_ challenge: FactorChallenge, _ new: NewPIN) {
        attempt = new.attempt
        context = challenge.context
        signature = new.signature
        newKey = new.publicKey
    }
}
