import OstiaryProtocol

/// The calls of those who wait until a server knows.
extension Engine {
    /// Stops a session.
    func end(_ id: Session.ID) async throws(OstiaryError) {
        if let login = try closeHere(id) { try await sendStop(login) }
    }

    /// Ends logins of this device, whichever process began them. All are written down as ending before the first server is asked: whoever ends this process
    /// meanwhile loses none of it. A login whose answer was not heard is ended like any other.
    /// - Returns: what was ended, and why a server was not told.
    func end(where isChosen: (Session.ID) -> Bool) async throws(OstiaryError) -> [(id: Session.ID, failure: OstiaryError?)] {
        try reread()
        takeUpSessions()
        let chosen = live.map(\.shown).filter { !$0.isOver && ($0.isLoggedIn || $0.isReturning) && isChosen($0.id) }
        let unheard = unheardLogins.filter { isChosen($0.id) }
        for login in unheard { noteEnding(login.id) }
        var closed: [(id: Session.ID, login: ClosedLogin?)] = []
        for session in chosen { closed.append((session.id, try closeHere(session.id))) }
        closed += unheard.map { ($0.id, closedLogin($0)) }
        var told: [(id: Session.ID, failure: OstiaryError?)] = []
        for (id, login) in closed {
            var failure: OstiaryError?
            do throws(OstiaryError) {
                if let login { try await sendStop(login) }
            } catch { failure = error }
            told.append((id, failure))
        }
        return told
    }

    /// Logins of which it is not known whether they count, also before any server was asked.
    func undecidedLogins() -> [UndecidedLogin] {
        if stored == nil { try? reread() }
        return unheardLogins.map { login in
            UndecidedLogin(
                id: login.id, name: login.serviceName.isEmpty ? stored?.server(login.rootHash.bytes)?.name ?? "" : login.serviceName,
                username: stored?.account(login.account)?.username, isAppLogin: login.isAppLogin == true, isGivenUp: login.isEnding == true)
        }
    }

    /// Deletes an account.
    func remove(_ id: Account.ID) async throws(OstiaryError) {
        try deleteHere(id)
        await deliverOutbox(of: id.accountID)
        if stored?.outbox.contains(where: { $0.account == id.accountID }) == true { throw .serverConnection }
    }

    /// Until the page of the last login has heard what became of it, or cannot.
    func settle() async { await lastWord?.value }
}
