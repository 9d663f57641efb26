import OstiaryProtocol

extension SessionQueries {
    /// logout: nothing is logged in by this nonce once this returns, on any node, and nothing that has begun under it logs it in later (protocol §8). Its
    /// session ends, and so does its enrolment, at whose end the browser would be logged in. Of an AppLogin the cache goes too.
    /// - Parameter actor: who logs out.
    /// - Throws: `UnknownServer`, which is looked for only when nothing is known of the nonce.
    package func logOut(_ nonce: SessionNonce, at server: ServerID, by actor: AuditActor, now: Instant) async throws {
        let stop = SessionStop(reason: .server, actor: actor, isClockDoubted: witness.doubts(now))
        let ended = try await store.write { rows, former -> LoggedOut in
            let session = try rows.pointer(nonceHash: nonce.hash, of: server).flatMap { try rows.session($0.session) }
            let enrolment = try rows.enrolment(nonceHash: nonce.hash, of: server)
            if session == nil, enrolment == nil { _ = try rows.existing(server) }
            let givenUp = enrolment?.loggedOut()
            var stopped: Session?
            func end() throws {
                stopped = try session.flatMap { try stop.apply(to: $0, in: rows, at: now) }
                if let givenUp { try rows.save(givenUp) }
            }
            // Also one whose ten minutes are over, and that nobody has removed yet.
            if let enrolment, givenUp != nil, case .confirming(let claim, _) = enrolment.state {
                try Confirmation.giveUp(claim, of: enrolment, by: actor, in: rows, at: now, ending: end)
            } else {
                try end()
            }
            return LoggedOut(session: stopped ?? former?.session, enrolment: givenUp ?? former?.enrolment)
        }
        if let session = ended.session { events.publish(.ended(session)) }
        if let enrolment = ended.enrolment { events.publish(.about(enrolment)) }
    }

    /// The same for a session that is named by itself, by a client at which its person logs out. What is no session of this server, and what is over, is
    /// left as it is.
    /// - Parameter actor: who logs out.
    package func logOut(_ session: SessionID, at server: ServerID, by actor: AuditActor, now: Instant) async throws {
        let stop = SessionStop(reason: .server, actor: actor, isClockDoubted: witness.doubts(now))
        let ended = try await store.write { rows, former -> LoggedOut in
            let session = try rows.session(session).flatMap { $0.server == server ? $0 : nil }
            let stopped = try session.flatMap { try stop.apply(to: $0, in: rows, at: now) }
            return LoggedOut(session: stopped ?? former?.session, enrolment: nil)
        }
        if let session = ended.session { events.publish(.ended(session)) }
    }
}

/// What a logout ended; of each nil when that was over before.
private struct LoggedOut: Sendable {
    let session: Session?
    let enrolment: Enrolment?
}
