import OstiaryProtocol

extension EnrolmentService {
    /// E3 → E4: the person accepts, with a second factor that was set or proved, or where none is asked for without; the account is made, or the headless
    /// one is given its second factor, and the invitation is burnt, in one transaction. Or declines, and another phone may have it.
    package func finish(_ request: PhoneRequest) async throws -> Reply {
        let message = try decoded(E3.self, from: request)
        let admission = FinishAdmission(message: message, request: request)
        let admitted: FinishAdmission.Case
        do { admitted = try await store.read { rows in try admission.admit(in: rows) } } catch Refusal.enrolmentUnknown
            where message.value.decision != .accept
        {
            return try await declinedBefore(admission, request)
        }
        switch admitted {
        case .repeated(let account, let enrolment):
            let codes = try await store.read { rows in try rows.existing(request.server).parameters.offlineCodes }
            return Reply(try E4(account, of: enrolment, codes))
        case .decline(let enrolment, let decision): return try await decline(enrolment, decision, admission, request)
        case .proof(let enrolment, let claim, let proof):
            let proved = try await ReceiptRequest(proof: proof, account: claim.account, now: request.now)
                .receipt(from: secondFactor, closing: InstanceClosure(store: store, events: events))
            do { return try await settle(enrolment.id, claim, proved.receipt, admission, request) } catch let refusal as Refusal {
                try await closeOrphan(proved.receipt.value, of: claim, at: request.now)
                throw refusal
            }
        case .deviceOnly(let enrolment, let claim): return try await settle(enrolment.id, claim, nil, admission, request)
        }
    }

    /// A decline again, of an enrolment that does not know the phone any more since the first.
    private func declinedBefore(_ admission: FinishAdmission, _ request: PhoneRequest) async throws -> Reply {
        try await store.write { rows, _ in
            let isNew = try rows.spend(admission.decisionHash, until: request.now + PhoneRequest.memory)
            guard !isNew else { throw Refusal.enrolmentUnknown }
        }
        return Reply()
    }

    /// The second-factor server did its part, but the account did not come about: a new instance is nobody's, and is closed; a device key that joined
    /// one leaves it.
    private func closeOrphan(_ receipt: Receipt, of claim: Enrolment.Claim, at now: Instant) async throws {
        try await store.write { rows, _ in
            // A headless account is there before, and has the instance only where this was done by another copy.
            guard try rows.account(claim.account)?.instance != receipt.instanceID else { return }
            guard receipt.context.setsPIN else {
                return try rows.queue(
                    PendingLeave(
                        deviceKey: claim.deviceKey, instance: receipt.instanceID, server: receipt.serverID, retry: RetrySchedule(from: now)))
            }
            guard try rows.instance(receipt.instanceID) == nil else { return }
            try rows.queue(PendingClose(instance: receipt.instanceID, server: receipt.serverID, retry: RetrySchedule(from: now)))
        }
    }

    private func decline(_ admitted: Enrolment, _ decision: Decision, _ admission: FinishAdmission, _ request: PhoneRequest) async throws -> Reply {
        let enrolment = try await store.write { rows, former -> Enrolment in
            if let former, try !rows.spend(admission.decisionHash, until: request.now + PhoneRequest.memory) { return former }
            // A late copy of a decline must not take the invitation from the phone that has it now.
            guard let enrolment = try rows.enrolment(admitted.id), enrolment.claim == admitted.claim else { throw Refusal.enrolmentUnknown }
            let declined = try enrolment.after(.decline(decision), at: request.now)
            try rows.save(declined)
            if decision == .notMe { try rows.record(AuditEntry(.enrolmentDisowned, server: request.server, by: .phone, at: request.now)) }
            try request.spend(in: rows, again: former != nil)
            _ = try rows.spend(admission.decisionHash, until: request.now + PhoneRequest.memory)
            return declined
        }
        tell(enrolment)
        return Reply()
    }

    /// Makes the account, or gives the headless one that is there its second factor, and burns the enrolment.
    /// - Parameter receipt: of the second factor; nil for an account without one.
    private func settle(
        _ id: EnrolmentID, _ claim: Enrolment.Claim, _ receipt: Encoded<Receipt>?, _ admission: FinishAdmission, _ request: PhoneRequest
    ) async throws -> Reply {
        let fresh = FreshAccount(otpKey: random.bytes(32), references: OTPReferences(using: random))
        let activation = AccountActivation(
            derivation: try await keyring.keys(of: request.server).derivation, notice: NoticeID(using: random), actor: .phone)
        let outcome = try await store.write { rows, former -> ActivationOutcome in
            guard let enrolment = try rows.enrolment(id) else { throw Refusal.enrolmentUnknown }
            let parameters = try rows.existing(request.server).parameters
            // Two copies of the same decision may be under way, or this is the second look: the second finds what the first made.
            if let account = try admission.repeated(enrolment, in: rows) {
                return ActivationOutcome(account: account, enrolment: enrolment, news: former?.news ?? [], offlineCodes: parameters.offlineCodes)
            }
            guard enrolment.claim == claim else { throw Refusal.enrolHashWrong }
            let verifiedAt = receipt.map { min($0.value.lastPIN, request.now) }
            let finish = Enrolment.Finish(decision: admission.decisionHash, verifiedAt: verifiedAt)
            let finished = try enrolment.after(.finish(finish), at: request.now)
            try enrolment.checkPurpose(claim.deviceKey, whileLeaving: .enrolmentOld, in: rows)
            try request.spend(in: rows, again: former != nil)
            let account = try made(by: enrolment, claim, receipt?.value.instanceID, fresh, request, in: rows)
            try rows.save(account)
            try rows.save(finished)
            var outcome = ActivationOutcome(account: account, enrolment: finished, news: [])
            if parameters.flags.contains(.skipEnrolConfirmation) { outcome = try activation.activate(finished, account, in: rows, at: request.now) }
            outcome.offlineCodes = parameters.offlineCodes
            if let receipt { try saveInstance(claim, receipt, in: rows) }
            return outcome
        }
        tell(outcome.enrolment)
        for news in outcome.news { events.publish(news) }
        return Reply(try E4(outcome.account, of: outcome.enrolment, outcome.offlineCodes))
    }

    /// A new account that waits for its code; or the headless account with the instance of its second factor, which counts once the code was typed.
    private func made(
        by enrolment: Enrolment, _ claim: Enrolment.Claim, _ instance: InstanceID?, _ fresh: FreshAccount, _ request: PhoneRequest,
        in rows: any AuthenticationRows
    ) throws -> Account {
        if let upgraded = enrolment.purpose.upgraded {
            var account = try rows.living(upgraded, at: request.server)
            (account.instance, account.state) = (instance, .upgrading)
            return account
        }
        let kind: AuditEntry.Kind = instance == nil ? .headlessEnrolled : .accountEnrolled
        try rows.record(AuditEntry(kind, server: request.server, account: claim.account, by: .phone, at: request.now))
        return Account(
            id: claim.account, server: request.server, userID: enrolment.userID, displayName: enrolment.displayName, device: claim.device,
            app: claim.app, deviceKey: claim.deviceKey, instance: instance, createdAt: request.now,
            otpReference: try fresh.references.first { try !rows.isTaken(otpReference: $0, at: request.server) },
            otpKey: StoredSecret(fresh.otpKey))
    }

    /// A first PIN makes the instance; a PIN that was there before lends itself to one more account.
    private func saveInstance(_ claim: Enrolment.Claim, _ receipt: Encoded<Receipt>, in rows: any AuthenticationRows) throws {
        let receipted = receipt.value
        guard receipted.context.setsPIN else {
            guard var instance = try rows.instance(receipted.instanceID) else { throw Refusal.instanceWrong }
            instance.keep(receipt)
            return try rows.save(instance)
        }
        guard try rows.instance(receipted.instanceID) == nil else { throw Refusal.instanceWrong }
        let epoch = Instance.Epoch(number: receipted.epoch, serverShare: claim.serverShare, secondFactorKey: receipted.secondFactorKey)
        try rows.save(Instance(id: receipted.instanceID, server: receipted.serverID, epochs: [epoch]))
    }
}

/// References of 30 random bits, as many as it takes (protocol §9). They follow from one draw, so that a body that runs twice finds the same one free.
struct OTPReferences: Sendable {
    private let seed: [UInt8]

    init(using random: any RandomSource) { seed = random.bytes(32) }

    func first(where isFree: (UInt32) throws -> Bool) rethrows -> UInt32 {
        var state = seed
        while true {
            state = SHA(state)
            let reference = state.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } >> 2
            if try isFree(reference) { return reference }
        }
    }
}

/// What is drawn for a new account, before the transaction that makes it.
private struct FreshAccount: Sendable {
    let otpKey: [UInt8]
    let references: OTPReferences
}

extension E4 {
    /// A headless account is told of no offline codes: it logs in by none. Its key for them is the one that it has as a full account.
    fileprivate init(_ account: Account, of enrolment: Enrolment, _ codes: OfflineCodeLength?) throws {
        let isIn = if case .active = enrolment.state { true } else { false }
        self.init(
            state: isIn ? .active : .pending, otpReference: account.otpReference, otpKey: try account.otpKey.bytes(),
            flags: LoginFlags.offlineCodes(enrolment.purpose.asksSecondFactor ? codes : nil))
    }
}
