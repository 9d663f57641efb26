/// The same things for callers who wait: these throw what the other calls report.
extension Ostiary {
    /// Begins like `start(with:)`; returns when it is known what the session is about.
    /// - Throws: what ends it before, also `cancelled` where a one-time code was made for it.
    public func begin(with scanned: [UInt8]) async throws(OstiaryError) -> Session { try await begin(.bytes(scanned)) }

    /// Begins like `start(link:)`; returns when it is known what the session is about.
    public func begin(link: String) async throws(OstiaryError) -> Session { try await begin(.text(link)) }

    /// Begins like `startAppLogin()`.
    public func beginAppLogin() async throws(OstiaryError) -> Session { try await begin(.app) }

    /// Begins like `fetchWaitingLogins()`; returns when it is known what the oldest login is about, nil where none waits.
    /// - Throws: `flowInProgress` while another enrolment or login goes on; where nothing was found, why the first account that could not be asked about was
    ///   not, such as `serverConnection`; and what ends the login before it is known what it is about.
    public func beginWaitingLogin() async throws(OstiaryError) -> Session? {
        let core = try core()
        let started = hub.subscribe(replaying: false)
        guard let id = try await core.engine.beginWaitingLogin() else { return nil }
        return try await follow(id, in: started) { $0.state != .starting }
    }

    private func begin(_ source: FlowSource) async throws(OstiaryError) -> Session {
        let core = try core()
        let started = hub.subscribe(replaying: false)
        let id = try await core.engine.begin(source)
        return try await follow(id, in: started) { $0.state != .starting }
    }

    /// Waits until a session is logged in, and returns it; throws when it ends before that.
    public func completion(of session: Session) async throws(OstiaryError) -> Session {
        let events = hub.subscribe(replaying: false)
        if newest(session.id)?.isOver ?? true { throw .sessionOver }
        return try await follow(session.id, in: events) { $0.isLoggedIn }
    }

    /// Logs a session out and waits until the server knows.
    public func end(_ session: Session) async throws(OstiaryError) { try await core().engine.end(session.id) }

    /// Ends logins of this device, whichever process began them, in the order in which they began. All are written down as ending before the first server
    /// is asked.
    /// - Returns: what was ended, each with why its server was not told; nil where it was.
    package func end(where isChosen: @Sendable (Session.ID) -> Bool) async throws(OstiaryError) -> [(id: Session.ID, failure: OstiaryError?)] {
        try await core().engine.end(where: isChosen)
    }

    /// Logins of which it is not known whether they count. What `refresh()` found out is not among them.
    package func undecidedLogins() async throws(OstiaryError) -> [UndecidedLogin] { await (try core(for: .system)).engine.undecidedLogins() }

    /// Removes an account and waits until the server knows. An unreachable server throws `serverConnection`; the account is gone from
    /// this device all the same, and the server will be told later.
    public func remove(_ account: Account) async throws(OstiaryError) { try await core().engine.remove(account.id) }

    /// Does what `clearHistory()` does, and returns when it is done.
    public func forgetHistory() async throws(OstiaryError) { try await core().engine.clearHistory() }

    /// Does what `reset()` does, and returns when nothing is left here.
    public func eraseEverything() async throws(OstiaryError) { try await core().engine.reset() }

    /// Returns when the page of the last login has heard what became of it, or cannot: for a process that ends right afterwards.
    package func settle() async { await (try? core(for: .system))?.engine.settle() }

    /// A session as it is now, which says nothing of a person.
    private func newest(_ id: Session.ID) -> Session? { snapshot(for: .system)?.sessions.first { $0.id == id } }

    private func follow(
        _ id: Session.ID, in events: AsyncStream<OstiaryEvent>, until isReached: (Session) -> Bool
    ) async throws(OstiaryError) -> Session {
        if let session = newest(id), !session.isOver, isReached(session) { return session }
        for await event in events {
            switch event {
            case .error(let error, let session?) where session.id == id && session.isOver: throw error
            case .sessionStop(let session) where session.id == id:
                throw [.cancelled, .otp].contains(session.ending) ? .cancelled : .sessionOver
            case .sessionLogin(let session) where session.id == id && isReached(session): return session
            case .sessionUpdate(let session) where session.id == id && isReached(session): return session
            default: continue
            }
        }
        throw .cancelled
    }
}

extension Ostiary {
    /// Does what `resume()` does, and returns the sessions when every server was asked once.
    public func refresh() async throws(OstiaryError) -> [Session] {
        await (try core(for: .system)).engine.refresh()
        return snapshot(for: .system)?.sessions ?? []
    }
}
