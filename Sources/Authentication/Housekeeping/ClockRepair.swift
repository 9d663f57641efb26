import OstiaryProtocol

/// Brings back to the present what a clock wrote that ran ahead, once it is put right: everything lives as long as if it had been written now, so
/// that nothing lasts until that clock is reached (docs/operations.md, Clocks).
///
/// What counts tries is not among it: those rules measure by distance and need no repair.
struct ClockRepair: Sendable {
    /// The most rows of a kind that one transaction takes.
    private static let batch = 200

    let store: any AuthenticationStore
    /// What keeps moments elsewhere.
    let others: [any MomentKeeper]

    func run(at now: Instant) async throws {
        // As far ahead as a phone may be.
        let ahead = now + PhoneRequest.window
        for keeper in others { try await keeper.bringBack(from: ahead, to: now) }
        // No index leads there, and as a rule there are none: who writes does not wait for the look.
        if try await store.read({ rows in try !rows.sessions(writtenAfter: ahead, limit: 1).isEmpty }) {
            while try await store.write({ rows, _ in try Self.bringSessionsBack(in: rows, from: ahead, to: now) }) {}
        }
        while try await store.write({ rows, _ in try Self.bringEnrolmentsBack(in: rows, from: ahead, to: now) }) {}
        try await store.write { rows, _ in
            try rows.removeCaches(verifiedAfter: ahead, orActivatedAfter: ahead)
            for var close in try rows.closes(dueAfter: ahead + RetrySchedule.longestDelay) {
                close.retry.dueAt = now
                try rows.queue(close)
            }
            for var leave in try rows.leaves(dueAfter: ahead + RetrySchedule.longestDelay) {
                leave.retry.dueAt = now
                try rows.queue(leave)
            }
        }
    }

    /// Whether there may be more.
    private static func bringSessionsBack(in rows: any AuthenticationRows, from ahead: Instant, to now: Instant) throws -> Bool {
        let sessions = try rows.sessions(writtenAfter: ahead, limit: batch).inTheirOrder
        for session in sessions {
            let parameters = try rows.server(session.server)?.parameters
            let patience = session.approval.flatMap { parameters?.life(of: $0) } ?? parameters?.patience ?? ServerParameters.unwatchedLife
            try rows.save(session.broughtBack(to: now, patience: patience))
        }
        return sessions.count == batch
    }

    private static func bringEnrolmentsBack(in rows: any AuthenticationRows, from ahead: Instant, to now: Instant) throws -> Bool {
        let enrolments = try rows.enrolments(expiringAfter: ahead + Enrolment.life, limit: batch)
        for var enrolment in enrolments {
            enrolment.expiresAt = now + Enrolment.life
            try rows.save(enrolment)
        }
        return enrolments.count == batch
    }
}

/// Something that keeps moments beside the rows of this domain.
package protocol MomentKeeper: Sendable {
    /// Brings back what was written after `ahead`: it lives as long as if it had been written now.
    func bringBack(from ahead: Instant, to now: Instant) async throws

    /// Deletes at most `limit` of what is over at `now`, and answers how many.
    func removeExpired(at now: Instant, limit: Int) async throws -> Int
}

extension Session {
    /// The session as if what was written of it ahead of `now` had been written now.
    func broughtBack(to now: Instant, patience: UInt64) -> Session {
        var session = self
        session.startedAt = min(startedAt, now)
        switch state {
        case .loggedIn(let login): session.state = .loggedIn(login.broughtBack(to: now, patience: patience))
        case .stopped(let login, let reason, let at):
            session.state = .stopped(login.broughtBack(to: now, patience: patience), reason, at: min(at, now))
        case .returning(let login, let ticket):
            session.state = .returning(
                login.broughtBack(to: now, patience: patience),
                ReturnTicket(codeHash: ticket.codeHash, until: min(ticket.until, now + Self.returningFor)))
        case .open, .claimed, .denied, .expired: break
        }
        return session
    }
}

extension Login {
    fileprivate func broughtBack(to now: Instant, patience: UInt64) -> Login {
        var login = self
        login.at = min(at, now)
        login.verifiedAt = min(verifiedAt, now)
        login.lastPing = min(lastPing, now)
        login.lastStamp = min(lastStamp, now)
        login.deadline = min(deadline, now + patience)
        return login
    }
}
