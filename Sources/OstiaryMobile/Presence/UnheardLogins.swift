import OstiaryProtocol

/// A yes whose answer this phone did not hear: its process died, or no answer came. It is written down before it is sent, and its server is asked whether
/// somebody is logged in by it (protocol §8).
extension Engine {
    /// Seconds after a yes in which a copy of it may still log somebody in. A session that nobody is logged in to lasts eight minutes from its beginning,
    /// which was before the yes (protocol §6); two are for clocks.
    private static let yesLife: UInt64 = 600
    /// Seconds between two questions, doubled up to the longest.
    private static let firstPause = 15.0
    private static let longestPause = 60.0

    /// Before a yes is sent. A store that refuses lets nobody be logged in without a trace.
    func noteYes(_ id: Session.ID) throws(OstiaryError) {
        guard let session = session(id), let yes = StoredSession(session, unansweredSince: now(at: session.rootHash)) else { throw .wrongOrder }
        try write { (state) throws(OstiaryError) in state.keep(yes) }
    }

    /// A yes was refused, or brought no answer at all. Only a refusal that an earlier copy would have had as well says that nobody is logged in: a server
    /// that is busy says nothing of that copy, and one that calls the session over may mean the login.
    func noteRefusal(_ error: OstiaryError, of id: Session.ID) {
        if error.isFinalAnswer, error != .sessionOver { forgetSession { $0.id == id } }
    }

    /// Logins whose answers nobody here heard, but those that a flow of this process still waits for.
    var unheardLogins: [StoredSession] {
        (stored?.sessions ?? []).filter { login in
            login.unansweredSince != nil && (login.isEnding == true || session(login.id)?.shown.isOver != false)
        }
    }

    /// An AppLogin of an app ends with its process: its `webNonce` was for nobody else.
    func giveUpUnheardAppLogins() {
        guard !ports.remembersAllSessions else { return }
        for login in unheardLogins where login.isAppLogin == true && login.isEnding != true { noteEnding(login.id) }
    }

    /// Asks once for each; those that are still open afterwards are asked for again while this process lives and a copy of the yes can count.
    func findOut() async {
        for login in unheardLogins where login.isEnding != true && session(login.id) == nil { await ask(login) }
        goOnFindingOut()
    }

    /// What became of a login that is ended.
    /// - Parameter reason: why it ended; nil where the server says that nobody is logged in to it, as long as no copy of the yes arrives.
    func settle(_ login: StoredSession, of account: StoredAccount, stopped reason: StopReason?) {
        if let reason { return tellEnd(of: login, account, as: Session.Ending(reason)) }
        if isListedAsLoggedIn(login.id) { return tellEnd(of: login, account, as: .server) }
        forgetIfOutlived(login.id)
        goOnFindingOut()
    }

    /// A ping says whether somebody is logged in, and that this phone is there.
    private func ask(_ login: StoredSession) async {
        guard let account = stored?.account(login.account) else { return }
        let acknowledged = shownNotices(of: account.id)
        var line = ServerLine(of: account, patience: 0)
        line.after = Instant(login.unansweredSince ?? 0)
        let message = Ping(sessionID: login.session, hold: 0, extensions: Extensions(shownNotices: acknowledged))
        do throws(OstiaryError) {
            switch try await line.ask(message, for: PingAnswer.self, declining: { $0 == .sessionUnknown }, by: self) {
            case .declined: forgetIfOutlived(login.id)
            case .done(let reply):
                hear(reply.value, by: account.id, after: acknowledged)
                await take(reply.value, of: login, account)
            }
        } catch {
            if error.isFinalAnswer { forgetSession { $0.id == login.id } }
        }
    }

    private func take(_ answer: PingAnswer, of login: StoredSession, _ account: StoredAccount) async {
        // It was ended while it was asked for, or found out by another call.
        guard unheardLogins.contains(where: { $0.id == login.id && $0.isEnding != true }), session(login.id) == nil else { return }
        switch answer.state {
        case .stopped: tellEnd(of: login, account, as: Session.Ending(answer.reason))
        case .loggedIn: await takeUp(login, account, answer)
        }
    }

    /// The server's first answer that anybody here hears: what follows is what follows after any login.
    private func takeUp(_ login: StoredSession, _ account: StoredAccount, _ answer: PingAnswer) async {
        var heard = login
        heard.unansweredSince = nil
        heard.pingTime = answer.pingTime
        heard.isReturning = answer.isReturning ? true : nil
        var session = LiveSession(heard, of: shown(account), lastSeen: ports.clock.monotonic)
        session.stamps = SessionStamps(after: now(at: session.rootHash))
        live.append(session)
        var isNoted = true
        do throws(OstiaryError) { isNoted = try rememberSession(login.id) } catch { emit(.error(error, session: session.shown)) }
        recordHistory(login.id)
        guard await goesOn(login.id, isNoted: isNoted) else { return }
        if let shown = self.session(login.id)?.shown { emit(shown.isReturning ? .sessionUpdate(shown) : .sessionLogin(shown)) }
        keepAlive(login.id)
    }

    /// A login that is over before anybody here heard of it, or was told of its end. An AppLogin of an app that is gone is not told to the next.
    private func tellEnd(of login: StoredSession, _ account: StoredAccount, as ending: Session.Ending) {
        forgetSession { $0.id == login.id }
        guard session(login.id) == nil, login.isAppLogin != true || ports.remembersAllSessions else { return }
        guard login.unansweredSince != nil || isListedAsLoggedIn(login.id) else { return }
        var over = LiveSession(login, of: shown(account), lastSeen: ports.clock.monotonic)
        // Not the AppLogin that this process has.
        over.shown.state = .waitingForUserInput
        over.shown.wasLoggedIn = ending != .otherBrowser
        live.append(over)
        close(login.id, as: ending)
    }

    private func forgetIfOutlived(_ id: Session.ID) { forgetSession { $0.id == id && !mayStillCount($0) } }

    private func mayStillCount(_ login: StoredSession) -> Bool {
        guard let since = login.unansweredSince else { return false }
        return now(at: login.rootHash.bytes) <= Instant(since) + Self.yesLife
    }

    private func goOnFindingOut() {
        guard !isFindingOut, unheardLogins.contains(where: mayStillCount) else { return }
        isFindingOut = true
        runInBackground { await $0.findOutInTime() }
    }

    private func findOutInTime() async {
        var pause = Self.firstPause
        while unheardLogins.contains(where: mayStillCount) {
            await ports.clock.sleep(seconds: pause)
            guard !Task.isCancelled else { break }
            pause = min(2 * pause, Self.longestPause)
            for login in unheardLogins {
                // What this process has told as failed is ended as well.
                guard login.isEnding == true || session(login.id) != nil else {
                    await ask(login)
                    continue
                }
                if let login = closedLogin(login) { try? await sendStop(login, patience: 0) }
            }
        }
        isFindingOut = false
    }
}
