import OstiaryProtocol

/// The checks on an M3, in their order, before the second-factor server is asked (protocol §7).
struct ChangeAdmission: Sendable {
    let message: Encoded<M3>
    let request: PhoneRequest

    enum Case: Sendable {
        /// This very M3 was completed before.
        case repeated(FinishedChange)
        case proof(SecondFactorProof)
        /// The instance with the epoch that a new PIN brings.
        case newPIN(SecondFactorProof, Instance)
    }

    private var change: M3 { message.value }
    /// What makes two copies of an M3 the same: all of it but the signature.
    var decisionHash: [UInt8] { SHA(message.unsignedBytes) }

    /// What a transaction that reads can say of it.
    func look(in rows: any AuthenticationRows) throws -> Case {
        let account = try rows.living(change.accountID, at: request.server)
        try request.verify(message, by: account.deviceKey, freshness: request.opened.freshness)
        try account.check(change.instanceID)
        guard var instance = try rows.instance(change.instanceID) else { throw Refusal.instanceWrong }
        try account.checkMayLogIn()
        if let last = instance.lastChange, last.decision == decisionHash { return .repeated(last) }
        let parameters = try rows.existing(request.server).parameters
        let rule = ChangeRule(context: change.context, payload: change.payload)
        try rule.check(under: parameters)
        try rule.check(change.method, under: parameters)
        guard change.context == .pinChangeSet else {
            guard change.secondFactorKey == nil else { throw Refusal.methodNotAllowed }
            return .proof(try operation(by: account, of: instance))
        }
        let (proof, epoch) = try newPIN(of: instance, account)
        instance.adopt(epoch)
        return .newPIN(proof, instance)
    }

    /// Keeps a new epoch, before the second-factor server can have switched to it: a crash in between locks nobody out.
    func adopt(in rows: any AuthenticationRows) throws -> Case {
        let found = try look(in: rows)
        if case .newPIN(_, let instance) = found { try rows.save(instance) }
        return found
    }

    private var sessionHash: [UInt8] {
        Transcript.operation(change.context, instance: change.instanceID, epoch: change.epoch, payload: change.payload)
    }

    private var shown: ShownFactor {
        ShownFactor(
            attempt: change.attemptID, context: change.context, sessionHash: sessionHash, payload: change.payload, method: change.method,
            secondFactorSignature: change.secondFactorSignature, biometricSignature: change.biometricSignature, ownAttempt: change.attempt)
    }

    /// Contexts 4 to 6: the PIN, a biometric, or both, in the epoch that the phone says.
    private func operation(by account: Account, of instance: Instance) throws(Refusal) -> SecondFactorProof {
        let proof = try shown.proof(by: account, of: instance, request)
        guard proof.epoch == change.epoch else { throw .attemptMismatch }
        return proof
    }

    /// PIN_CHANGE_SET: what the new box signed cannot be verified here, for it covers a key that only the phone and the second-factor server know.
    /// So a PIN may not bring another second-factor key, and a biometric has to sign as well.
    private func newPIN(of instance: Instance, _ account: Account) throws(Refusal) -> (SecondFactorProof, Instance.Epoch) {
        guard let vouching = instance.pinChange, vouching.vouches(for: account.id, payload: change.payload, epoch: change.epoch),
            let setting = vouching.setting, setting.id == change.attemptID, change.method == vouching.method
        else { throw .changeNotVouched }
        guard let key = change.secondFactorKey, let signature = change.secondFactorSignature, change.attempt == nil
        else { throw .methodNotAllowed }
        guard (try? EdwardsPublicKey(key)) != nil else { throw .secondFactorKeyWrong }
        if change.method == .pin {
            guard change.biometricSignature == nil, key == instance.epoch(vouching.epoch)?.secondFactorKey else { throw .methodNotAllowed }
        } else {
            guard let biometric = change.biometricSignature else { throw .methodNotAllowed }
            try shown.verify(biometric, of: instance, madeAt: setting.madeAt, request)
        }
        let proof = SecondFactorProof(
            server: request.server, instance: instance.id, attempt: change.attemptID, sessionHash: sessionHash, context: change.context,
            method: change.method, epoch: change.epoch, secondFactorKey: key, secondFactorSignature: signature,
            biometricSignature: change.biometricSignature, receipts: instance.receipts)
        return (proof, Instance.Epoch(number: change.epoch, serverShare: vouching.serverShare, secondFactorKey: key))
    }
}
