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

    /// The same for a caller who waits until the server knows.
    func end(_ id: Session.ID) async throws(OstiaryError) {
        guard let session = session(id), session.shown.goesOn, let sid = session.sid,
            let account = stored?.account(session.account ?? AccountID(using: random))
        else {
            _ = try stopHere(id)
            return
        }
        ended(id, as: .user)
        try await sendStop(sid, of: account, after: session.lastStamp)
    }

    /// Ends a session or gives up a flow. Returns what is left to tell the server.
    private func stopHere(_ id: Session.ID) throws(OstiaryError) -> (@Sendable (isolated Engine) async -> Void)? {
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

    /// Tells the server, and the app only if that failed.
    func sayStop(_ sid: SessionID, of account: StoredAccount, after: Instant? = nil, reason: StopReason = .user) async {
        do throws(OstiaryError) {
            try await sendStop(sid, of: account, after: after ?? now(at: account.rootHash.bytes), reason: reason)
        } catch {
            // What the server ended, or never began, is what was wanted.
            guard error == .serverConnection else { return }
            emit(.error(error, session: nil))
        }
    }

    private func sendStop(_ sid: SessionID, of account: StoredAccount, after: Instant, reason: StopReason = .user) async throws(OstiaryError) {
        let ephemeral = try makeEphemeral()
        let acknowledged = shownNotices(of: account.id)
        let exchanged = try await reaching(for: nil) { () async throws(OstiaryError) in
            try await exchange(with: account.rootHash.bytes, ephemeral, after: after) { sentAt throws(OstiaryError) in
                let freshness = SealedRequest.freshness(ephemeral: ephemeral.publicKey, at: sentAt)
                let message = Stop(sessionID: sid, reason: reason, extensions: Extensions(shownNotices: acknowledged))
                return try sign(message, with: account.keyName, freshness: freshness).bytes
            }
        }
        switch exchanged.answer.status {
        case .sessionOver, .sessionUnknown: return
        default:
            let body = try body(of: exchanged, about: account.id, at: account.rootHash.bytes)
            if let answer = try? PingAnswer(decoding: body) { hear(answer.extensions.notices, by: account.id, after: acknowledged) }
        }
    }
}
