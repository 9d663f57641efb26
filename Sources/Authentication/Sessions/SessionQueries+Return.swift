import OstiaryProtocol

/// The return code was handed in and is not good for this nonce: unknown, too late, spent or another's, which all sound the same.
package struct ReturnCodeWrong: Error, Equatable {
    package init() {}
}

/// The way back from a login page (protocol §6).
extension SessionQueries {
    /// return: a browser came back with a code, and its backend hands it in with the nonce of the cookie that came along. The first hand-in spends
    /// the code, whatever nonce it comes with; with another nonce it ends the session that the code belongs to.
    /// - Parameter actor: who hands it in.
    /// - Returns: what getSession says now.
    /// - Throws: ``ReturnCodeWrong``, `UnknownServer`.
    package func handIn(
        _ code: ReturnCode, by nonce: SessionNonce, at server: ServerID, from actor: AuditActor, now: Instant
    ) async throws -> LoginStatus {
        let outcome = try await store.write { rows, former -> HandIn.Outcome in
            _ = try rows.existing(server)
            let outcome = try HandIn(code: code, nonceHash: nonce.hash, server: server, actor: actor).apply(in: rows, at: now)
            return former.map { outcome.seen(after: $0) } ?? outcome
        }
        switch outcome {
        case .loggedIn(let session, let login, let account):
            events.publish(.about(session, .loggedIn(login.account)))
            return loggedIn(session, login, account)
        case .again(let session, let login, let account): return loggedIn(session, login, account)
        case .ended(let session):
            events.publish(.ended(session))
            throw ReturnCodeWrong()
        case .wrong: throw ReturnCodeWrong()
        }
    }
}

/// One hand-in of a return code, inside a transaction.
private struct HandIn: Sendable {
    let code: ReturnCode
    let nonceHash: [UInt8]
    let server: ServerID
    let actor: AuditActor

    enum Outcome: Sendable {
        case loggedIn(Session, Login, AccountFacts?)
        /// The address was loaded again in the browser that is logged in.
        case again(Session, Login, AccountFacts?)
        /// Another browser came back: this session is over.
        case ended(Session)
        case wrong

        /// What a second look says, which finds the code spent by the first if that was kept.
        func seen(after former: Outcome) -> Outcome {
            switch (former, self) {
            case (.loggedIn, .again), (.ended, .wrong): former
            default: self
            }
        }
    }

    func apply(in rows: any AuthenticationRows, at now: Instant) throws -> Outcome {
        guard let stored = try rows.session(returnCodeHash: code.hash, of: server) else { return .wrong }
        let session = stored.settled(at: now)
        let isOurs = try rows.pointer(nonceHash: nonceHash, of: server)?.session == session.id
        switch session.state {
        case .returning(let login, _): return try isOurs ? logIn(session, login, in: rows, at: now) : end(stored, login, in: rows, at: now)
        case .loggedIn(let login):
            guard isOurs, let ticket = login.returned, now <= ticket.until else { return .wrong }
            return .again(session, login, try facts(login, in: rows))
        case .open, .claimed, .denied, .expired, .stopped: return .wrong
        }
    }

    private func logIn(_ session: Session, _ accepted: Login, in rows: any AuthenticationRows, at now: Instant) throws -> Outcome {
        let patience = try rows.existing(server).parameters.life(of: accepted)
        let loggedIn = try session.after(.comeBack(patience: patience), at: now)
        guard let login = loggedIn.login else { return .wrong }
        if var account = try rows.account(login.account) {
            account.lastLogin = now
            try rows.save(account)
        }
        try rows.save(loggedIn)
        try rows.record(AuditEntry(.loginReturned, server: server, account: login.account, by: actor, at: now, methods: login.methods))
        return .loggedIn(loggedIn, login, try facts(login, in: rows))
    }

    private func end(_ stored: Session, _ login: Login, in rows: any AuthenticationRows, at now: Instant) throws -> Outcome {
        guard let ended = try SessionStop(reason: .otherBrowser, actor: actor).apply(to: stored, in: rows, at: now) else { return .wrong }
        try rows.record(AuditEntry(.loginInOtherBrowser, server: server, account: login.account, by: actor, at: now))
        return .ended(ended)
    }

    private func facts(_ login: Login, in rows: any AuthenticationRows) throws -> AccountFacts? {
        try rows.account(login.account).map(AccountFacts.init)
    }
}
