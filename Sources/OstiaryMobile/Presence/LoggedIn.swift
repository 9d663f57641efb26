import OstiaryProtocol

/// The first moment after a login.
extension Engine {
    /// A server's first answer that somebody is logged in.
    /// - Parameter acknowledged: the notices that the message before it said were shown.
    func loggedIn(
        _ id: Session.ID, _ outcome: L6, sid: SessionID, account: AccountID, after acknowledged: [NoticeID] = []
    ) async throws(OstiaryError) {
        try rename(account, to: outcome.userName)
        guard let account = try known().account(account) else { throw .accountDeleted }
        change(id) { session in
            session.sid = sid
            session.account = account.id
            session.lastSeen = ports.clock.monotonic
            session.shown.account = self.shown(account)
            session.shown.username = outcome.userName
            session.shown.webNonce = session.shown.isAppLogin ? outcome.webNonce : nil
            session.shown.pingTime = Int(outcome.pingTime)
            session.shown.state = .active
            session.shown.wasLoggedIn = true
        }
        let isNoted = try rememberSession(id)
        recordHistory(id)
        watchOverAppLogin(id)
        // Over before anybody hears of the login: whoever does may begin the next flow at once.
        if flow?.session == id { flow = nil }
        // Before the login: it may be the last that a process waits for.
        hear(outcome, by: account.id, after: acknowledged)
        guard await goesOn(id, isNoted: isNoted) else { return }
        if let session = session(id) { emit(.sessionLogin(session.shown)) }
        keepAlive(id)
    }

    /// The server's word for the person, as they are called now.
    func rename(_ account: AccountID, to name: String) throws(OstiaryError) {
        guard let old = stored?.account(account), old.username != name else { return }
        try write { (state) throws(OstiaryError) in state.setAccount(account) { $0.username = name } }
        if let new = stored?.account(account) { emit(.accountUpdated(shown(new))) }
    }

    /// A login of a browser goes on when the app is restarted; an AppLogin does not, and one that is not watched needs nobody here. That its yes was
    /// not answered is written down no longer. What another process ends meanwhile stays to be ended.
    /// - Returns: whether what had been written down of a login was still there; whoever hears of its end takes it away.
    @discardableResult
    func rememberSession(_ id: Session.ID) throws(OstiaryError) -> Bool {
        guard let session = session(id), let stored = StoredSession(session) else { return true }
        guard ports.remembersAllSessions || !session.shown.isAppLogin && session.shown.pingTime > 0 else {
            forgetSession { $0.id == id && $0.isEnding != true }
            return true
        }
        let wasThere = try write { (state) throws(OstiaryError) in
            defer { state.keep(stored) }
            return state.sessions.contains { $0.id == id }
        }
        return wasThere || session.shown.isEnrolment
    }
}
