import OstiaryProtocol

/// Ending sessions from this side: over here at once, then told to the server (protocol §8).
extension Engine {
    func stop(_ id: Session.ID) throws(OstiaryError) {
        if let farewell = try stopHere(id) { runErrand { await farewell($0) } }
    }

    func stopAppLogin() throws(OstiaryError) {
        guard let session = live.last(where: { $0.shown.isAppLogin && !$0.shown.isOver }) else { throw .wrongOrder }
        try stop(session.shown.id)
    }

    /// Ends a session or gives up a flow. Returns what is left to tell the server.
    func stopHere(_ id: Session.ID) throws(OstiaryError) -> (@Sendable (isolated Engine) async -> Void)? {
        if flow?.session == id {
            abort(.cancelled)
            return nil
        }
        guard let session = session(id), !session.shown.isOver else { throw .wrongOrder }
        if session.shown.isEnrolment, !session.shown.isLoggedIn, let account = session.account { return giveUp(id, account) }
        guard session.shown.goesOn, let sid = session.sid else { throw .wrongOrder }
        let account = session.account.flatMap { stored?.account($0) }
        ended(id, as: .user)
        guard let account else { return nil }
        let stamp = session.lastStamp
        return { engine in await engine.sayStop(sid, of: account, after: stamp) }
    }

    /// Nobody waits for this account's code any longer: it will never be one.
    private func giveUp(_ id: Session.ID, _ account: AccountID) -> (@Sendable (isolated Engine) async -> Void)? {
        if let shown = close(id, as: .cancelled) { emit(.sessionStop(shown)) }
        discard(account)
        return nil
    }
}
