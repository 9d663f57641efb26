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
        try apply(to: [session], in: rows, at: now).first
    }

    /// The same of several: those that were not over before, as they are stored now.
    func apply(to sessions: [Session], in rows: any (SessionRows & AccountRows & AuditRows), at now: Instant) throws -> [Session] {
        let ending = try sessions.compactMap { session in
            let ended = try ended(session, at: now)
            return ended == session ? nil : (former: session, ended: ended)
        }
        // The end of an AppLogin forgets the last PIN, also when it ran out unnoticed.
        for session in ending.map(\.former) where session.purpose == .app { if let login = session.login { try rows.removeCache(of: login.account) } }
        // Two who end the same ones at once never wait for each other in turn (docs/decisions/0075).
        for session in ending.map(\.ended).inTheirOrder { try rows.save(session) }
        for entry in ending.compactMap({ $0.former.unfinished(ending: reason, by: actor, at: now) }) { try rows.record(entry) }
        return ending.map(\.ended)
    }

    private func ended(_ session: Session, at now: Instant) throws -> Session {
        let ended = try session.settled(at: now).after(.stop(reason), at: now)
        guard isClockDoubted, !session.isFinished, case .stopped(let login, .timeout, let at) = ended.state else { return ended }
        return ended.with(.stopped(login, reason, at: at))
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
