import OstiaryProtocol

/// Ending sessions from this side: over here at once, then told to the server, in a later process if this one cannot (protocol §8).
extension Engine {
    func stop(_ id: Session.ID) throws(OstiaryError) {
        if let login = try closeHere(id) { runInBackground { await $0.tellServer(login) } }
    }

    func stopAppLogin() throws(OstiaryError) {
        guard let session = live.last(where: { $0.shown.isAppLogin && !$0.shown.isOver }) else { throw .wrongOrder }
        try stop(session.shown.id)
    }

    /// Stops a flow, gives up an account whose code nobody typed, or ends a login, of which the server is still to be told.
    func closeHere(_ id: Session.ID) throws(OstiaryError) -> ClosedLogin? {
        if flow?.session == id {
            abort(.cancelled)
            return nil
        }
        guard let session = session(id), !session.shown.isOver else { throw .wrongOrder }
        if session.shown.isEnrolment, !session.shown.isLoggedIn, let account = session.account {
            close(id, as: .cancelled)
            abandon(account)
            return nil
        }
        guard session.shown.goesOn, let sid = session.sid else { throw .wrongOrder }
        let account = session.account.flatMap { stored?.account($0) }
        noteEnding(id)
        close(id, as: .user)
        return account.map { ClosedLogin(session: sid, account: $0, lastStamp: session.stamps.last) }
    }
}
