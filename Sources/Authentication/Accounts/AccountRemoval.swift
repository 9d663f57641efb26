import OstiaryProtocol

/// Ends an account and everything that it could still do, in one transaction (protocol §13).
struct AccountRemoval: Sendable {
    let account: AccountID
    let server: ServerID
    /// Who has it go.
    let actor: AuditActor
    /// As ``SessionStop/isClockDoubted``.
    var isClockDoubted = false

    /// The sessions that ended with it.
    func apply(in rows: any AuthenticationRows, at now: Instant) throws -> [Session] {
        guard let account = try rows.account(account), account.server == server else { return [] }
        let stop = SessionStop(reason: .account, actor: actor, isClockDoubted: isClockDoubted)
        let stopped = try rows.unfinishedSessions(of: account.id).compactMap { try stop.apply(to: $0, in: rows, at: now) }
        try rows.removeCache(of: account.id)
        if let enrolment = try rows.enrolment(account: account.id)?.settled(at: now), case .confirming = enrolment.state {
            try rows.save(try enrolment.after(.delete, at: now))
        }
        try rows.markDeleted(account.id, of: account.server, at: now)
        // Somebody who still has the old phone must not be counted, or taken, for whoever has the reference next.
        let tries = try rows.offlineTries(of: account.otpReference, at: server) ?? OfflineTries(server: server, reference: account.otpReference)
        try rows.save(tries.reserved(at: now))
        if let instance = account.instance {
            try InstanceRemoval(deviceKey: account.deviceKey, instance: instance, server: server).apply(in: rows, at: now)
        }
        return stopped
    }
}
