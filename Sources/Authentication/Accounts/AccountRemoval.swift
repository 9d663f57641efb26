import OstiaryProtocol

/// Ends an account and everything that it could still do, in one transaction (protocol §13).
struct AccountRemoval: Sendable {
    let account: AccountID
    let server: ServerID
    /// Who has it go.
    let actor: AuditActor
    /// As ``SessionStop/isClockDoubted``.
    var isClockDoubted = false

    /// The sessions that ended with it. An enrolment whose code was awaited ends as deleted.
    func apply(in rows: any AuthenticationRows, at now: Instant) throws -> [Session] {
        try apply(in: rows, at: now) { try rows.endConfirming(account, at: now) }
    }

    /// The same where the enrolment ends by something else.
    /// - Parameter endEnrolment: saves it, and what ends beside it, in its turn; also where there is no account any more.
    func apply(in rows: any AuthenticationRows, at now: Instant, endingEnrolment endEnrolment: () throws -> Void) throws -> [Session] {
        guard let account = try rows.account(account), account.server == server else {
            try endEnrolment()
            return []
        }
        try rows.markDeleted(account.id, of: account.server, at: now)
        let stop = SessionStop(reason: .account, actor: actor, isClockDoubted: isClockDoubted)
        let stopped = try stop.apply(to: try rows.unfinishedSessions(of: account.id), in: rows, at: now)
        try endEnrolment()
        // Somebody who still has the old phone must not be counted, or taken, for whoever has the reference next.
        let tries = try rows.offlineTries(of: account.otpReference, at: server) ?? OfflineTries(server: server, reference: account.otpReference)
        try rows.save(tries.reserved(at: now))
        if let instance = account.instance {
            try InstanceRemoval(deviceKey: account.deviceKey, instance: instance, server: server).apply(in: rows, at: now)
        }
        return stopped
    }
}

extension EnrolmentRows {
    /// Ends the enrolment of an account whose code is awaited: the account is deleted, or what it was to have is gone.
    func endConfirming(_ account: AccountID, at now: Instant) throws {
        guard let enrolment = try enrolment(account: account)?.settled(at: now), enrolment.awaitsCode else { return }
        try save(try enrolment.after(.delete, at: now))
    }
}
