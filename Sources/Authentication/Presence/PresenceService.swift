import OstiaryProtocol

/// Ping and Stop: the phone says that it is still there, or that it is not (protocol §8).
package struct PresenceService: Sendable {
    private let store: any AuthenticationStore
    private let events: any SessionEvents
    private let witness: any ClockWitness

    /// - Parameter witness: asked before a login ends because its ping is late, and whether it is why one that is stopped has ended.
    package init(store: any AuthenticationStore, events: any SessionEvents, witness: any ClockWitness = NoWitness()) {
        self.store = store
        self.events = events
        self.witness = witness
    }

    /// Where a session stands for its phone.
    private struct Standing: Sendable {
        let session: SessionID
        let account: AccountID
        let answer: PingAnswer
        /// Whether this is the first ping since the browser came back.
        var hasJustReturned = false

        /// Whether the phone should hear of it at once rather than wait. Notices wait with it: a phone that shows none would else ask without a pause.
        var isNews: Bool { answer.state == .stopped || hasJustReturned }
    }

    /// What a ping came to.
    private struct Recorded: PerhapsReliedOn {
        let standing: Standing
        /// The session, if it was over.
        let ended: Session?
        /// Whether it took notices away, of which the phone would be told once more.
        let hasAcknowledged: Bool

        var isReliedOn: Bool { ended != nil || hasAcknowledged }
    }

    /// Ping: recorded at once, and answered when the session ends or the phone has waited. The look after the wait records nothing of the phone.
    package func ping(_ request: PhoneRequest) throws -> Awaited {
        let message = try decoded(Ping.self, from: request)
        return Awaited(topics: [.session(message.value.sessionID)], hold: message.value.hold) {
            let standing = try await record(message, request)
            guard !standing.isNews else { return .news(Reply(standing.answer)) }
            return .nothing(.success(Reply(standing.answer))) { now in
                Reply(try await look(again: standing, at: request.server, now: now))
            }
        }
    }

    /// A late ping does not revive: the end is written down and told (protocol §8); by a clock that is contradicted nothing is, and the phone asks again.
    private func record(_ message: Encoded<Ping>, _ request: PhoneRequest) async throws -> Standing {
        try await verifyAhead(message, of: message.value.sessionID, request)
        let found = try await witness.unlessContradicted(request.now) { mayEnd in try await write(message, request, mayEnd: mayEnd) }
        guard let recorded = found else { throw Refusal.clockContradicted }
        if let ended = recorded.ended { events.publish(.ended(ended)) }
        return recorded.standing
    }

    /// One that only says that the phone is there is written softly: is it gone, so is the mark that it was spent, and the phone has pinged as often as before.
    private func write(_ message: Encoded<Ping>, _ request: PhoneRequest, mayEnd: Bool) async throws -> Recorded {
        try await store.writeAsReliedOn { rows, former -> Recorded in
            let (session, account) = try known(message.value.sessionID, request, in: rows)
            try check(message, by: account, request)
            let shown = try message.value.extensions.acknowledged()
            let parameters = try rows.existing(request.server).parameters
            let pinged = try session.taking(.ping(stamp: request.opened.sentAt, patience: parameters.patience), at: request.now)
            guard mayEnd || !pinged.isFinished || session.isFinished else { throw RunOut() }
            try request.spend(in: rows, again: former != nil)
            let ended = pinged.isFinished ? try SessionStop(reason: .timeout, actor: .server).apply(to: session, in: rows, at: request.now) : nil
            if !pinged.isFinished, pinged != session { try rows.save(pinged) }
            var standing = try self.standing(of: pinged, account.id, parameters, after: shown, waitingAt: request.now, in: rows)
            standing.hasJustReturned = pinged.hasReturned(since: session) || former?.standing.hasJustReturned == true
            return Recorded(standing: standing, ended: ended ?? former?.ended, hasAcknowledged: !shown.isEmpty)
        }
    }

    /// By a clock that is contradicted nobody is told of an end that nobody has written: it is as it was when the ping counted.
    private func look(again standing: Standing, at server: ServerID, now: Instant) async throws -> PingAnswer {
        let answer = try await witness.unlessContradicted(now) { mayEnd in
            try await store.read { rows -> PingAnswer in
                guard let stored = try rows.session(standing.session) else { throw Refusal.sessionUnknown }
                let session = stored.settled(at: now)
                guard mayEnd || !session.isFinished || stored.isFinished else { throw RunOut() }
                let parameters = try rows.existing(server).parameters
                return try self.standing(of: session, standing.account, parameters, after: [], waitingAt: now, in: rows).answer
            }
        }
        return answer ?? standing.answer
    }

    /// Stop: the person logged out, or nobody used the app. Repeating it finds what the first did.
    package func stop(_ request: PhoneRequest) async throws -> Reply {
        let message = try decoded(Stop.self, from: request)
        try await verifyAhead(message, of: message.value.sessionID, request)
        let isClockDoubted = witness.doubts(request.now)
        let (answer, ended) = try await store.write { rows, former -> (PingAnswer, Session?) in
            let (session, account) = try known(message.value.sessionID, request, in: rows)
            try check(message, by: account, request)
            let shown = try message.value.extensions.acknowledged()
            try request.spend(in: rows, again: former != nil)
            let stop = SessionStop(reason: message.value.reason, actor: .phone, isClockDoubted: isClockDoubted)
            let ended = try stop.apply(to: session, in: rows, at: request.now)
            let parameters = try rows.existing(request.server).parameters
            return (try standing(of: ended ?? session, account.id, parameters, after: shown, in: rows).answer, ended ?? former?.1)
        }
        if let ended { events.publish(.ended(ended)) }
        return Reply(answer)
    }

    private func verifyAhead(_ message: Encoded<some DeviceSigned>, of session: SessionID, _ request: PhoneRequest) async throws {
        try await request.verifyAhead(message, freshness: request.opened.freshness, in: store) { rows in
            try rows.session(session)?.account.flatMap { try rows.account($0)?.deviceKey }
        }
    }

    private func check(_ message: Encoded<some DeviceSigned>, by account: Account, _ request: PhoneRequest) throws(Refusal) {
        do { try request.verify(message, by: account.deviceKey, freshness: request.opened.freshness) } catch { throw .sessionOfAnother }
    }

    /// A session that an account has logged in to, and that account.
    private func known(_ id: SessionID, _ request: PhoneRequest, in rows: any AuthenticationRows) throws -> (Session, Account) {
        guard let session = try rows.session(id), session.server == request.server else { throw Refusal.sessionUnknown }
        switch session.state {
        case .returning(let login, _), .loggedIn(let login), .stopped(let login, _, _):
            return (session, try rows.living(login.account, at: request.server))
        case .open, .claimed, .denied, .expired: throw Refusal.sessionUnknown
        }
    }

    /// - Parameter moment: at which something may wait for the account; nil where that is not told.
    private func standing(
        of session: Session, _ account: AccountID, _ parameters: ServerParameters, after shown: [NoticeID], waitingAt moment: Instant? = nil,
        in rows: any AuthenticationRows
    ) throws -> Standing {
        let notices = try rows.notices(for: account, after: shown)
        // Said of a login that is over as well: the newest word counts, and none is one that there are no codes.
        let codes = LoginFlags.offlineCodes(parameters.offlineCodes)
        let answer: PingAnswer
        if case .stopped(_, let reason, _) = session.state {
            answer = PingAnswer(state: .stopped, reason: reason, pingTime: 0, flags: codes, extensions: notices)
        } else {
            let hasWaiting = try moment.map { try rows.ringingSessions(of: account, at: $0).contains { $0.state == .open } } ?? false
            answer = PingAnswer(
                state: .loggedIn, reason: .none, pingTime: parameters.pingTime,
                flags: (session.isReturning ? LoginFlags.returning : 0) | (hasWaiting ? LoginFlags.waiting : 0) | codes, extensions: notices)
        }
        return Standing(session: session.id, account: account, answer: answer)
    }
}

extension Session {
    /// Whether no ping came between the hand-in and this one, so that the phone still believes that the browser is on its way.
    fileprivate func hasReturned(since before: Session) -> Bool {
        guard let login, login.returned != nil, let last = before.login?.lastPing else { return false }
        return last <= login.at
    }
}
