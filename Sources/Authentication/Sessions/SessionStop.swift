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
        if let (kind, account) = unfinished(session) {
            try rows.record(AuditEntry(kind, server: session.server, account: account, by: settled.isFinished ? .server : actor, at: now))
        }
        return ended
    }

    /// Whose login it was that did not get to its end, and how far it had got. A session that expired names nobody any more.
    private func unfinished(_ session: Session) -> (kind: AuditEntry.Kind, account: AccountID)? {
        switch session.state {
        case .claimed(let claim): (.loginAbandoned, claim.account)
        // Has a line of its own.
        case .returning where reason == .otherBrowser: nil
        case .returning(let login, _): (.loginNotReturned, login.account)
        case .open, .loggedIn, .denied, .expired, .stopped: nil
        }
    }
}
