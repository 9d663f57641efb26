import OstiaryProtocol

/// Ends a session, takes with it what must not outlive it, and leaves a line of what an account began and did not end.
struct SessionStop: Sendable {
    let reason: StopReason
    /// Who ends it. What had run out before ended by itself.
    let actor: AuditActor

    /// The session as it is stored now; nil when it was over before.
    func apply(to session: Session, in rows: any (SessionRows & AccountRows & AuditRows), at now: Instant) throws -> Session? {
        let settled = session.settled(at: now)
        let ended = try settled.after(.stop(reason), at: now)
        guard ended != session else { return nil }
        try rows.save(ended)
        // The end of an AppLogin forgets the last PIN, also when it ran out unnoticed.
        if session.purpose == .app, let login = session.login { try rows.removeCache(of: login.account) }
        // A session that expired names nobody any more.
        if case .claimed(let claim) = session.state {
            let who = settled.isFinished ? .server : actor
            try rows.record(AuditEntry(.loginAbandoned, server: session.server, account: claim.account, by: who, at: now))
        }
        return ended
    }
}
