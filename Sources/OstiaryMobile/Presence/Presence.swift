import OstiaryProtocol

// Presence: what goes on between a login and its end.
//
// Owns: the first moment after a login, the browser's way back, pings and what they tell, logins whose answers nobody heard, the limits
// of an AppLogin, and telling the server of an end. Leaves to others: that a session is over here (Engine/), and who wanted it (Commands/).
// Start reading here, then LoggedIn and Returning.

/// What goes on after a login: pings, and the end (protocol §8).
extension Engine {
    /// Seconds beyond pingTime that the server still counts a session as logged in.
    private static let grace: UInt64 = 15

    /// Whether a question is kept open at the server: wished for, and the app is in front.
    var isWatching: Bool { wantsToWatch && !isInBackground }

    /// Begins, or begins again, to ping for a session.
    func keepAlive(_ id: Session.ID, atOnce: Bool = false) {
        guard let session = session(id), session.isWatched else { return }
        change(id) { $0.pinger?.cancel() }
        let pinger = Task { await self.ping(id, atOnce: atOnce) }
        change(id) { $0.pinger = pinger }
    }

    private func ping(_ id: Session.ID, atOnce: Bool) async {
        var isDue = atOnce
        var backoff = Backoff(limit: .infinity)
        while !Task.isCancelled, let session = session(id), session.isWatched {
            let period = session.period
            let holds = isWatching || session.shown.isReturning
            if !isDue, !holds { await ports.clock.sleep(seconds: Double(period) / 2) }
            isDue = false
            // The app's own limits come first: after a long sleep a ping would only hear of the server's.
            endAppLoginIfDue()
            guard !Task.isCancelled, self.session(id)?.shown.goesOn == true else { return }
            let began = ports.clock.monotonic
            do throws(OstiaryError) {
                try await ping(id, hold: holds ? UInt8(clamping: min(UInt64(longestHold), max(1, period / 2))) : 0)
                note(connectionError: false, of: id)
                backoff = Backoff(limit: .infinity)
                if holds, ports.clock.monotonic <= began { await ports.clock.sleep(seconds: 1) }
            } catch {
                guard await outlives(error, id, period, backoff.delay() ?? 15) else { return }
                isDue = true
            }
        }
    }

    /// After a ping that failed: whether the session goes on, and the wait until the next.
    private func outlives(_ error: OstiaryError, _ id: Session.ID, _ period: UInt64, _ delay: Double) async -> Bool {
        guard error != .cancelled, !Task.isCancelled, let session = session(id), session.shown.goesOn else { return false }
        switch error {
        case .serverConnection, .certificateUntrusted, .serverAnswer, .serverIdentity, .serverParametersMissing, .serverParametersUnreadable,
            .serverParametersWrong, .clockWrong, .tooMany, .keyStore:
            guard ports.clock.monotonic <= session.lastSeen + period + Self.grace else {
                close(id, as: .timeout)
                return false
            }
            if !session.shown.connectionError {
                note(connectionError: true, of: id)
                emit(.error(error, session: self.session(id)?.shown))
            }
            await ports.clock.sleep(seconds: delay)
            return true
        case .accountBlocked, .accountDeleted: close(id, as: .account)
        default: close(id, as: .server)
        }
        return false
    }

    /// One ping; ends the session if the server says that it is over.
    func ping(_ id: Session.ID, hold: UInt8) async throws(OstiaryError) {
        let wasReturning = session(id)?.shown.isReturning == true
        let answer = try await pingAnswer(id, hold: hold)
        switch answer.state {
        case .stopped: close(id, as: Session.Ending(answer.reason))
        case .loggedIn:
            change(id) { session in
                session.lastSeen = ports.clock.monotonic
                session.shown.pingTime = Int(answer.pingTime)
            }
            if answer.hasWaiting { lookForWaiting() }
            if wasReturning, !answer.isReturning, session(id)?.shown.isReturning == true { await cameBack(id) }
        }
    }

    /// What the server says of a session, and what it tells beside that.
    func pingAnswer(_ id: Session.ID, hold: UInt8) async throws(OstiaryError) -> PingAnswer {
        guard let session = session(id), let sid = session.sid, let account = session.account.flatMap({ stored?.account($0) })
        else { throw .sessionUnknown }
        let acknowledged = shownNotices(of: account.id)
        var line = ServerLine(of: account, session: id, patience: 0)
        line.timeout += Double(hold)
        line.isInOrder = true
        let message = Ping(sessionID: sid, hold: hold, extensions: Extensions(shownNotices: acknowledged))
        let answer = try await line.ask(message, for: PingAnswer.self, by: self).value
        hear(answer, by: account.id, after: acknowledged)
        return answer
    }
}

extension LiveSession {
    /// Whether the server counts on pings: those of a login that it watches, and those of one whose browser it awaits.
    var isWatched: Bool { !isEnding && (shown.isReturning || shown.isLoggedIn && shown.pingTime > 0) }
    /// Seconds within which it wants to hear of this device.
    fileprivate var period: UInt64 { shown.isReturning ? Engine.returnTime : UInt64(shown.pingTime) }
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
            case .otherBrowser: .otherBrowser
            }
    }
}
