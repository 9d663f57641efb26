import OstiaryProtocol

/// Ends a session, takes with it what must not outlive it, and leaves a line of what an account began and did not end.
struct SessionStop: Sendable {
    let reason: StopReason
    /// Who ends it. What had run out before ended by itself.
    let actor: AuditActor
    /// Whether something speaks against the clock: what has run out by that alone is ended by who ends it now, at the moment until which it was good.
    var isClockDoubted = false

    /// The session as it is stored now; nil when it was over before.
    func apply(to session: Session, in rows: any (SessionRows & AccountRows & AuditRows), at now: Instant) throws -> Session? {
        var ended = try session.settled(at: now).after(.stop(reason), at: now)
        if isClockDoubted, !session.isFinished, case .stopped(let login, .timeout, let at) = ended.state {
            ended = ended.with(.stopped(login, reason, at: at))
        }
        guard ended != session else { return nil }
        // The end of an AppLogin forgets the last PIN, also when it ran out unnoticed.
        if session.purpose == .app, let login = session.login { try rows.removeCache(of: login.account) }
        try rows.save(ended)
        if let entry = session.unfinished(ending: reason, by: actor, at: now) { try rows.record(entry) }
        return ended
    }
}

extension Session {
    /// What the audit trail has of a login that ends now and did not get to its end, from the session as it was stored before: one that expired names nobody any
    /// more. Nil where there is nothing to tell.
    package func unfinished(ending reason: StopReason, by actor: AuditActor, at now: Instant) -> AuditEntry? {
        let found: (kind: AuditEntry.Kind, account: AccountID)? =
            switch state {
            case .claimed(let claim): (.loginAbandoned, claim.account)
            // Has a line of its own.
            case .returning where reason == .otherBrowser: nil
            case .returning(let login, _): (.loginNotReturned, login.account)
            case .open, .loggedIn, .denied, .expired, .stopped: nil
            }
        return found.map { AuditEntry($0.kind, server: server, account: $0.account, by: settled(at: now).isFinished ? .server : actor, at: now) }
    }
}

extension [Session] {
    /// As whoever changes several of them takes them, so that two who do it at once never wait for each other.
    var inTheirOrder: [Session] { sorted { $0.id.bytes.lexicographicallyPrecedes($1.id.bytes) } }
}
