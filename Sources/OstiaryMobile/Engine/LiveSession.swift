import OstiaryProtocol

/// A session with what the SDK knows of it beyond what it shows.
struct LiveSession {
    var shown: Session
    var rootHash: [UInt8]
    /// `sid`; nil until the server named it.
    var sid: SessionID?
    var account: AccountID?
    /// Of the signed messages about it.
    var stamps = SessionStamps()
    /// Ended here before, and its server has not answered the Stop: shown until then, and not kept alive.
    var isEnding = false
    /// When the server last said that it goes on, by the monotonic clock.
    var lastSeen: UInt64 = 0
    var pinger: Task<Void, Never>?
    /// Ends an AppLogin in time.
    var guardian: Task<Void, Never>?
}

extension LiveSession {
    /// A login that began in another process, as this one shows it from now on.
    /// - Parameter lastSeen: the moment by the monotonic clock.
    init(_ stored: StoredSession, of account: Account, lastSeen: UInt64) {
        var shown = Session(id: stored.id, isAppLogin: stored.isAppLogin == true)
        shown.account = account
        shown.info.serviceName = stored.serviceName
        shown.pingTime = Int(stored.pingTime)
        if stored.isReturning == true {
            shown.isReturning = true
            shown.state = .waitingForUserInput
        } else {
            shown.username = account.username
            shown.state = .active
            shown.wasLoggedIn = true
        }
        self.init(
            shown: shown, rootHash: stored.rootHash.bytes, sid: stored.session, account: account.id.accountID, isEnding: stored.isEnding == true,
            lastSeen: lastSeen)
    }
}

extension StoredSession {
    /// As another process takes it up; nil before the server named it.
    init?(_ session: LiveSession, unansweredSince: Instant? = nil) {
        guard let sid = session.sid, let account = session.account else { return nil }
        self.init(
            id: session.shown.id, session: sid, account: account, rootHash: StoredBytes(session.rootHash), pingTime: UInt32(session.shown.pingTime),
            serviceName: session.shown.info.serviceName, isReturning: session.shown.isReturning ? true : nil,
            isAppLogin: session.shown.isAppLogin ? true : nil, unansweredSince: unansweredSince?.seconds)
    }
}

/// A second factor that the server remembers for a while.
struct FactorCache {
    let token: SecretBytes
    /// Of the activation of an account: good once.
    let isSingleUse: Bool
}

extension Engine {
    /// How many sessions that are over are still shown.
    private static let mostEnded = 20

    func session(_ id: Session.ID) -> LiveSession? { live.first { $0.shown.id == id } }

    /// Changes a session without telling anybody.
    func change(_ id: Session.ID, _ body: (inout LiveSession) -> Void) {
        guard let index = live.firstIndex(where: { $0.shown.id == id }) else { return }
        body(&live[index])
        publish()
    }

    /// Changes what is shown of a session, and tells.
    func update(_ id: Session.ID, _ body: (inout Session) -> Void) {
        change(id) { body(&$0.shown) }
        if let session = session(id) { emit(.sessionUpdate(session.shown)) }
    }

    func add(_ session: LiveSession) {
        let ended = live.filter { $0.shown.isOver }
        if ended.count >= Self.mostEnded, let oldest = ended.first?.shown.id { live.removeAll { $0.shown.id == oldest } }
        live.append(session)
        emit(.sessionUpdate(session.shown))
    }

    /// Ends a session here and tells the app: nothing secret stays with it, nothing of a login stays in the store unless its server has still to
    /// answer the Stop or the yes, and with an AppLogin goes the last second factor (S1-43). One that is over stays as it is.
    /// - Parameter error: what went wrong, where that is what the app is told.
    func close(_ id: Session.ID, as ending: Session.Ending, _ error: OstiaryError? = nil) {
        guard let session = session(id), !session.shown.isOver else { return }
        if session.shown.isAppLogin, session.shown.isLoggedIn {
            appLoginClock.stop()
            if let account = session.account { caches[account] = nil }
        }
        forgetSession { $0.id == id && $0.isEnding != true && $0.unansweredSince == nil }
        change(id) { session in
            session.pinger?.cancel()
            session.pinger = nil
            session.guardian?.cancel()
            session.guardian = nil
            session.shown.end(as: ending)
            session.shown.otpAvailable = codes.isAvailable(id, at: ports.clock.monotonic)
        }
        recordHistory(id)
        guard let shown = self.session(id)?.shown else { return }
        if let error { return emit(.error(error, session: shown)) }
        // A warning, also for apps that do not look at how a session ended.
        if ending == .otherBrowser { emit(.error(.loginInOtherBrowser, session: shown)) }
        emit(.sessionStop(shown))
    }

    /// A store that refuses keeps what nobody needs: the server says that it is over when it is asked.
    func forgetSession(where isOver: (StoredSession) -> Bool) {
        guard stored?.sessions.contains(where: isOver) == true else { return }
        _ = try? write { (state) throws(OstiaryError) in state.sessions.removeAll(where: isOver) }
    }

    /// What an app is shown of an account.
    func shown(_ account: StoredAccount) -> Account { Account(account, at: stored?.server(account.rootHash.bytes)) }
}
