import OstiaryProtocol

/// The checks on an E3, before the second-factor server is asked (protocol §5).
struct FinishAdmission: Sendable {
    let message: Encoded<E3>
    let request: PhoneRequest

    enum Case: Sendable {
        case repeated(Account, Enrolment)
        case decline(Enrolment, Decision)
        case proof(Enrolment, Enrolment.Claim, SecondFactorProof)
        /// A headless account: the device key alone, and no second-factor server to ask.
        case deviceOnly(Enrolment, Enrolment.Claim)
    }

    /// What makes two copies of a decision the same: all of it but the signature.
    var decisionHash: [UInt8] { SHA(message.unsignedBytes) }

    func admit(in rows: any AuthenticationRows) throws -> Case {
        guard let enrolment = try rows.enrolment(ephemeral: request.ephemeral)?.settled(at: request.now), enrolment.server == request.server,
            let claim = enrolment.claim
        else { throw Refusal.enrolmentUnknown }
        guard message.value.enrolHash == claim.enrolHash else { throw Refusal.enrolHashWrong }
        try request.verify(message, by: claim.deviceKey)
        if let account = try repeated(enrolment, in: rows) { return .repeated(account, enrolment) }
        switch message.value.decision {
        case .decline, .notMe, .gaveUp: return .decline(enrolment, message.value.decision)
        case .accept:
            try enrolment.checkPurpose(claim.deviceKey, whileLeaving: .enrolmentOld, in: rows)
            return try enrolment.purpose.asksSecondFactor ? proof(enrolment, claim, in: rows) : deviceOnly(enrolment, claim)
        }
    }

    /// The account that this very decision made before; throws when there is one that another decision made, or the enrolment is over.
    func repeated(_ enrolment: Enrolment, in rows: any AuthenticationRows) throws -> Account? {
        switch enrolment.state {
        case .open, .claimed: return nil
        case .confirming(let claim, let finish), .active(let claim, let finish, _):
            guard finish.decision == decisionHash else { throw Refusal.enrolmentUsed }
            return try rows.living(claim.account, at: request.server)
        case .failed(let failure, let claim):
            if let claim, let deleted = try rows.deletedAccount(claim.account) { throw Refusal.accountDeleted(claim.account, since: deleted.since) }
            throw failure.refusal
        }
    }

    /// Only what was to be without a second factor comes about without one, and that comes about with nothing of one.
    private func deviceOnly(_ enrolment: Enrolment, _ claim: Enrolment.Claim) throws(Refusal) -> Case {
        let e3 = message.value
        guard e3.instanceID == nil, e3.attemptID == nil, e3.epoch == 0, e3.secondFactorKey == nil, e3.secondFactorSignature == nil
        else { throw .methodNotAllowed }
        return .deviceOnly(enrolment, claim)
    }

    private func proof(_ enrolment: Enrolment, _ claim: Enrolment.Claim, in rows: any AuthenticationRows) throws -> Case {
        let e3 = message.value
        guard let instanceID = e3.instanceID, let attempt = e3.attemptID, let signature = e3.secondFactorSignature
        else { throw Refusal.methodNotAllowed }
        let payload = claim.payload
        let sessionHash = Transcript.operation(e3.context, instance: instanceID, epoch: e3.epoch, payload: payload)
        let (key, receipts) = try secondFactorKey(
            of: try rows.instance(instanceID),
            for: ShownFactor(
                attempt: attempt, context: e3.context, sessionHash: sessionHash, payload: payload, method: .pin,
                secondFactorSignature: signature, biometricSignature: nil, ownAttempt: nil))
        let proof = SecondFactorProof(
            server: request.server, instance: instanceID, attempt: attempt, sessionHash: sessionHash, context: e3.context, method: .pin,
            epoch: e3.epoch, secondFactorKey: key, secondFactorSignature: signature, receipts: receipts)
        return .proof(enrolment, claim, proof)
    }

    /// FIRST_SET brings its key along and has no instance here yet; ENROL has one of this server, whose key must have signed.
    private func secondFactorKey(of instance: Instance?, for shown: ShownFactor) throws(Refusal) -> ([UInt8], KnownReceipts) {
        let e3 = message.value
        switch e3.context {
        case .firstSet:
            guard instance == nil, e3.epoch == 1, let key = e3.secondFactorKey else { throw .instanceWrong }
            guard (try? EdwardsPublicKey(key)) != nil else { throw .secondFactorKeyWrong }
            return (key, .none)
        case .enrol:
            guard let instance, instance.server == request.server, let epoch = instance.epoch(e3.epoch), let signature = e3.secondFactorSignature
            else { throw .instanceWrong }
            try epoch.verify(signature, of: shown, in: instance.id, request)
            return (epoch.secondFactorKey, instance.receipts)
        case .verify, .biometricsAdd, .biometricsRemove, .pinChangeVerify, .pinChangeSet: throw .methodNotAllowed
        }
    }
}
