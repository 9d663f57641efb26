import OstiaryProtocol

/// A login that is over here, as its server is told (protocol §8).
struct ClosedLogin: Sendable {
    let session: SessionID
    let account: StoredAccount
    /// The time stamp of the last message about it.
    let lastStamp: Instant
    var reason = StopReason.user
    /// What was written down of it, where it is not a login that this process showed.
    var written: StoredSession?
}

extension Engine {
    /// Written down before it is over here: until its server has answered, a Stop is to be brought.
    func noteEnding(_ id: Session.ID) {
        guard stored?.sessions.contains(where: { $0.id == id }) == true else { return }
        _ = try? write { (state) throws(OstiaryError) in
            for index in state.sessions.indices where state.sessions[index].id == id { state.sessions[index].isEnding = true }
        }
    }

    /// Tells the server, and the app only if that failed.
    func tellServer(_ login: ClosedLogin, patience: Double? = nil) async {
        do throws(OstiaryError) { try await sendStop(login, patience: patience) } catch {
            // What the server ended, or never began, is what was wanted.
            guard error.isLostAnswer else { return }
            emit(.error(error, session: nil))
        }
    }

    /// Forgets the login when the server has answered, whatever it said of it; before that it lives on there.
    func sendStop(_ login: ClosedLogin, patience: Double? = nil) async throws(OstiaryError) {
        let reason: StopReason?
        do throws(OstiaryError) {
            reason = try await bringStop(login, patience: patience)
        } catch {
            if error.isFinalAnswer { forgetSession { $0.session == login.session } }
            throw error
        }
        guard let written = login.written ?? stored?.sessions.first(where: { $0.session == login.session && $0.unansweredSince != nil })
        else { return forgetSession { $0.session == login.session } }
        settle(written, of: login.account, stopped: reason)
    }

    /// Stops that could not be brought when their sessions were ended: each is tried once.
    func bringStops() async {
        for session in stored?.sessions ?? [] where session.isEnding == true {
            if let login = closedLogin(session) { await tellServer(login, patience: 0) }
        }
    }

    /// What is told of a login that was ended; nil where its account is gone, and with it the key.
    func closedLogin(_ session: StoredSession) -> ClosedLogin? {
        stored?.account(session.account).map {
            ClosedLogin(session: session.session, account: $0, lastStamp: Instant(session.unansweredSince ?? 0), written: session)
        }
    }

    /// - Returns: why the login ended, now or before; nil where the server says that nobody is logged in to it.
    private func bringStop(_ login: ClosedLogin, patience: Double?) async throws(OstiaryError) -> StopReason? {
        let account = login.account
        let acknowledged = shownNotices(of: account.id)
        var line = ServerLine(of: account, patience: patience)
        line.after = login.lastStamp
        let message = Stop(sessionID: login.session, reason: login.reason, extensions: Extensions(shownNotices: acknowledged))
        let answer = try await line.ask(
            message, for: PingAnswer.self, declining: { $0 == .sessionOver || $0 == .sessionUnknown }, by: self)
        guard case .done(let reply) = answer else { return nil }
        hear(reply.value, by: account.id, after: acknowledged)
        return reply.value.reason
    }
}
