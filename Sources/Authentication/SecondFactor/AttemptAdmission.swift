import OstiaryProtocol

/// The checks on an M1, in their order; all of them before the sequence is touched, so that strangers burn no tries and learn nothing (protocol §7).
struct AttemptAdmission: Sendable {
    let message: M1
    let request: PhoneRequest
    let derivation: SessionDerivation

    private var attempt: Attempt { message.attempt.value }

    /// The key that is to have signed the attempt.
    func deviceKey(in rows: any AuthenticationRows) throws -> [UInt8]? {
        attempt.context == .firstSet
            ? try rows.enrolment(ephemeral: request.ephemeral)?.claim?.deviceKey : try rows.account(message.accountID)?.deviceKey
    }

    /// The reservation for an attempt that passed every check, inside the transaction of its effects.
    func reserve(in rows: any AuthenticationRows) throws -> AttemptReservation {
        guard attempt.ephemeralHash == SHA(request.ephemeral), attempt.sealedHash == SHA(message.sealed) else { throw Refusal.attemptMismatch }
        guard attempt.madeAt.distance(to: request.now) <= PhoneRequest.window else { throw Refusal.clockOff }
        switch attempt.context {
        case .verify: return try reserveForSession(in: rows)
        case .firstSet: return try reserveForFirstPIN(in: rows)
        case .enrol: return try reserveForEnrolment(in: rows)
        case .biometricsAdd, .biometricsRemove, .pinChangeVerify: return try reserveForChange(in: rows)
        case .pinChangeSet: return try reserveForNewPIN(in: rows)
        }
    }

    /// VERIFY: the offer says what the phone was shown; the session is claimed if nobody has it.
    private func reserveForSession(in rows: any AuthenticationRows) throws -> AttemptReservation {
        let account = try rows.living(message.accountID, at: request.server)
        guard message.payload.isEmpty else { throw Refusal.attemptMismatch }
        let offered = try OfferedSession(message.offer, of: message.sessionID, for: account.id, request, derivation)
        let session = try offered.session(in: rows)
        guard attempt.sessionHash == offered.sessionHash else { throw Refusal.sessionHashWrong }
        try request.verify(message.attempt, by: account.deviceKey)
        try account.check(attempt.instanceID)
        try account.checkMayLogIn()
        let claimed = try offered.claimed(session)
        try rows.save(claimed)
        var reservation = try number(for: account.id, in: rows)
        if claimed != session { reservation.claimed = claimed }
        return reservation
    }

    /// FIRST_SET: the ephemeral key finds the enrolment; there is no account and no counter yet, and the number is 0.
    private func reserveForFirstPIN(in rows: any AuthenticationRows) throws -> AttemptReservation {
        let claim = try enrolmentClaim(in: rows)
        guard claim.account == message.accountID, attempt.epoch == 1 else { throw Refusal.attemptMismatch }
        try request.verify(message.attempt, by: claim.deviceKey)
        guard try rows.instance(attempt.instanceID) == nil else { throw Refusal.instanceWrong }
        return reservation(for: claim.account, number: 0, receipts: .none)
    }

    /// ENROL: this app has an account here already, whose PIN vouches for the new device key.
    private func reserveForEnrolment(in rows: any AuthenticationRows) throws -> AttemptReservation {
        _ = try enrolmentClaim(in: rows)
        let account = try rows.living(message.accountID, at: request.server)
        try request.verify(message.attempt, by: account.deviceKey)
        try account.check(attempt.instanceID)
        try account.checkMayLogIn()
        return try number(for: account.id, in: rows)
    }

    /// The contexts without a session: the account's own device asks, about what the payload says.
    private func reserveForChange(in rows: any AuthenticationRows) throws -> AttemptReservation {
        let account = try changingAccount(in: rows)
        try ChangeRule(context: attempt.context, payload: message.payload).check(under: try rows.existing(request.server).parameters)
        return try number(for: account.id, in: rows)
    }

    /// PIN_CHANGE_SET: a PIN_CHANGE_VERIFY vouches; the number is 0, and the share of the next epoch comes with the answer.
    private func reserveForNewPIN(in rows: any AuthenticationRows) throws -> AttemptReservation {
        let account = try changingAccount(in: rows)
        guard var instance = try rows.instance(attempt.instanceID), instance.server == request.server else { throw Refusal.instanceWrong }
        guard var change = instance.pinChange, change.vouches(for: account.id, payload: message.payload, epoch: attempt.epoch),
            change.isFresh(at: request.now)
        else { throw Refusal.changeNotVouched }
        change.begin(TriedAttempt(attempt))
        instance.pinChange = change
        try rows.save(instance)
        return reservation(for: account.id, number: 0, receipts: instance.receipts, share: try change.serverShare.bytes())
    }

    private func changingAccount(in rows: any AuthenticationRows) throws -> Account {
        let account = try rows.living(message.accountID, at: request.server)
        let expected = Transcript.operation(attempt.context, instance: attempt.instanceID, epoch: attempt.epoch, payload: message.payload)
        guard attempt.sessionHash == expected else { throw Refusal.sessionHashWrong }
        try request.verify(message.attempt, by: account.deviceKey)
        try account.check(attempt.instanceID)
        try account.checkMayLogIn()
        return account
    }

    /// The claim of the enrolment that this ephemeral key began, if the payload and the hash are those of its E1 and E2.
    private func enrolmentClaim(in rows: any AuthenticationRows) throws -> Enrolment.Claim {
        guard let enrolment = try rows.enrolment(ephemeral: request.ephemeral)?.settled(at: request.now), enrolment.server == request.server else {
            throw Refusal.enrolmentUnknown
        }
        if case .failed(let failure, _) = enrolment.state, failure.refusal == .enrolmentOld { throw Refusal.enrolmentOld }
        guard case .claimed(let claim) = enrolment.state else { throw Refusal.enrolmentUnknown }
        // Where none is asked for, none is set: it would be nobody's.
        guard enrolment.purpose.asksSecondFactor else { throw Refusal.methodNotAllowed }
        guard message.payload == claim.payload else { throw Refusal.attemptMismatch }
        let expected = Transcript.operation(attempt.context, instance: attempt.instanceID, epoch: attempt.epoch, payload: message.payload)
        guard attempt.sessionHash == expected else { throw Refusal.sessionHashWrong }
        return claim
    }

    /// The next number, if a right PIN could be used: without the share of its epoch, which a restore may have taken, no PIN opens anything, and no
    /// try is spent on it.
    private func number(for account: AccountID, in rows: any AuthenticationRows) throws -> AttemptReservation {
        guard var instance = try rows.instance(attempt.instanceID), instance.server == request.server else { throw Refusal.instanceWrong }
        guard let epoch = instance.epoch(attempt.epoch) else { throw Refusal.shareGone }
        // One that is damaged opens nothing either, and is told as a fault before anything is counted.
        _ = try epoch.serverShare.bytes()
        let number = try instance.sequence.reserve(attempt.attemptID, blindedHash: attempt.blindedHash, at: request.now)
        try rows.save(instance)
        return reservation(for: account, number: number, receipts: instance.receipts)
    }

    private func reservation(
        for account: AccountID, number: UInt64, receipts: KnownReceipts, share: [UInt8]? = nil
    ) -> AttemptReservation {
        let ticket = Ticket(
            serverID: request.server, sequence: number, issuedAt: request.now, payload: message.payload, attempt: message.attempt)
        return AttemptReservation(account: account, ticket: ticket, receipts: receipts, newShare: share)
    }
}
