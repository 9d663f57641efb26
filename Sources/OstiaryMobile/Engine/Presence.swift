import OstiaryProtocol

/// What goes on after a login: pings, and the end (protocol §8).
extension Engine {
    /// Seconds beyond pingTime that the server still counts a session as logged in.
    private static let grace: UInt64 = 15

    /// Begins, or begins again, to ping for a session.
    func keepAlive(_ id: Session.ID, atOnce: Bool = false) {
        guard let session = session(id), session.shown.isLoggedIn, session.shown.pingTime > 0 else { return }
        change(id) { $0.pinger?.cancel() }
        let pinger = Task { await self.ping(id, atOnce: atOnce) }
        change(id) { $0.pinger = pinger }
    }

    private func ping(_ id: Session.ID, atOnce: Bool) async {
        var isDue = atOnce
        var backoff = Backoff(limit: .infinity)
        while !Task.isCancelled, let session = session(id), session.shown.isLoggedIn {
            let period = UInt64(session.shown.pingTime)
            // The server may say so in the middle of a session.
            guard period > 0 else { return }
            if !isDue, !isWatching { await ports.clock.sleep(seconds: Double(period) / 2) }
            isDue = false
            // The app's own limits come first: after a long sleep a ping would only hear of the server's.
            endAppLoginIfDue()
            guard !Task.isCancelled, self.session(id)?.shown.isLoggedIn == true else { return }
            let began = ports.clock.monotonic
            do throws(OstiaryError) {
                try await ping(id, hold: isWatching ? UInt8(clamping: min(UInt64(longestHold), max(1, period / 2))) : 0)
                note(connectionError: false, of: id)
                backoff = Backoff(limit: .infinity)
                if isWatching, ports.clock.monotonic <= began { await ports.clock.sleep(seconds: 1) }
            } catch {
                guard await outlives(error, id, period, backoff.delay() ?? 15) else { return }
                isDue = true
            }
        }
    }

    /// After a ping that failed: whether the session goes on, and the wait until the next.
    private func outlives(_ error: OstiaryError, _ id: Session.ID, _ period: UInt64, _ delay: Double) async -> Bool {
        guard error != .cancelled, !Task.isCancelled, let session = session(id), session.shown.isLoggedIn else { return false }
        switch error {
        case .serverConnection, .serverAnswer, .serverIdentity, .serverParametersMissing, .serverParametersUnreadable, .serverParametersWrong,
            .clockWrong, .tooMany, .keyStore:
            guard ports.clock.monotonic <= session.lastSeen + period + Self.grace else {
                ended(id, as: .timeout)
                return false
            }
            if !session.shown.connectionError {
                note(connectionError: true, of: id)
                emit(.error(error, session: self.session(id)?.shown))
            }
            await ports.clock.sleep(seconds: delay)
            return true
        case .accountBlocked, .accountDeleted: ended(id, as: .account)
        default: ended(id, as: .server)
        }
        return false
    }

    /// One ping; ends the session if the server says that it is over.
    func ping(_ id: Session.ID, hold: UInt8) async throws(OstiaryError) {
        guard let session = session(id), let sid = session.sid, let account = stored?.account(session.account ?? AccountID(using: random))
        else { throw .sessionUnknown }
        let ephemeral = try makeEphemeral()
        let exchanged = try await exchange(with: session.rootHash, ephemeral, timeout: 15 + Double(hold), after: session.lastStamp) {
            sentAt throws(OstiaryError) in
            change(id) { $0.lastStamp = sentAt }
            let freshness = SealedRequest.freshness(ephemeral: ephemeral.publicKey, at: sentAt)
            return try sign(Ping(sessionID: sid, hold: hold), with: account.keyName, freshness: freshness).bytes
        }
        let body = try body(of: exchanged, about: account.id, at: session.rootHash)
        guard let answer = try? PingAnswer(decoding: body) else { throw .serverAnswer }
        tell(answer.extensions.notices, to: account.id)
        switch answer.state {
        case .stopped: ended(id, as: Session.Ending(answer.reason))
        case .loggedIn:
            change(id) { session in
                session.lastSeen = ports.clock.monotonic
                session.shown.pingTime = Int(answer.pingTime)
            }
        }
    }

    /// A login is over: nothing of it stays, and with an AppLogin goes the last second factor (S1-43).
    func ended(_ id: Session.ID, as ending: Session.Ending) {
        guard let session = session(id), !session.shown.isOver else { return }
        if session.shown.isAppLogin {
            appLoginClock.stop()
            if let account = session.account { caches[account] = nil }
        }
        if stored?.sessions.contains(where: { $0.id == id }) == true {
            _ = try? write { (state) throws(OstiaryError) in state.sessions.removeAll { $0.id == id } }
        }
        if let shown = close(id, as: ending) { emit(.sessionStop(shown)) }
    }

    /// A login of a browser goes on when the app is restarted; an AppLogin does not.
    func rememberSession(_ id: Session.ID) throws(OstiaryError) {
        guard let session = session(id), !session.shown.isAppLogin, session.shown.pingTime > 0, let sid = session.sid, let account = session.account
        else { return }
        let stored = StoredSession(
            id: id, session: sid, account: account, rootHash: StoredBytes(session.rootHash), pingTime: UInt32(session.shown.pingTime),
            serviceName: session.shown.info.serviceName)
        try write { (state) throws(OstiaryError) in
            state.sessions.removeAll { $0.id == id }
            state.sessions.append(stored)
        }
    }

    /// News of other devices.
    func tell(_ notices: [NewDeviceNotice], to account: AccountID) {
        guard let account = stored?.account(account) else { return }
        for notice in notices { emit(.newDevice(NewDevice(name: notice.device, enrolledAt: notice.time.seconds), account: shown(account))) }
    }
}

extension Session.Ending {
    init(_ reason: StopReason) {
        self =
            switch reason {
            case .none, .server: .server
            case .user: .user
            case .inactivity: .inactivity
            case .timeout: .timeout
            case .account: .account
            case .replaced: .replaced
            }
    }
}
