import OstiaryProtocol

/// Logins that the server begins for one account, and that wait until its phone fetches them (protocol §6, §8).
package struct WaitingLogins: Sendable {
    private let store: any AuthenticationStore
    private let keyring: any ServerKeyring
    private let events: any SessionEvents

    package init(store: any AuthenticationStore, keyring: any ServerKeyring, events: any SessionEvents) {
        self.store = store
        self.keyring = keyring
        self.events = events
    }

    /// What the client shows and the person types. Of a session that nobody begins there is one, too: it tells nobody whether a phone is asked.
    package func number(of session: SessionID, at server: ServerID) async throws -> PushNumber {
        try await keyring.keys(of: server).derivation.number(of: session)
    }

    /// Begins a session for the account that the request names. Begun again under the same id it is the one that there is.
    /// - Parameters:
    ///   - id: 16 random bytes.
    ///   - openFor: seconds for which it waits.
    package func begin(_ id: SessionID, at server: ServerID, asking request: LoginRequest, openFor: UInt64, now: Instant) async throws {
        guard let account = request.account else { preconditionFailure("a pushed session is for one account") }
        let session = Session(
            id: id, server: server, nonceHash: nil, stream: nil, purpose: .login, request: request, startedAt: now,
            push: SessionPush(openFor: openFor))
        let listeners = try await store.write { rows, _ -> [Session] in
            if try rows.session(id) == nil { try rows.save(session) }
            return try rows.unfinishedSessions(of: account)
        }
        if !listeners.isEmpty { events.publish(.waiting(for: listeners)) }
    }

    /// Fetch: which logins wait for an account. It reads only: the same request again is answered anew.
    package func fetch(_ request: PhoneRequest) async throws -> Reply {
        let message = try decoded(Fetch.self, from: request)
        let keys = try await keyring.keys(of: request.server)
        let sessions = try await store.read { rows in
            let account = try rows.living(message.value.accountID, at: request.server)
            try request.verify(message, by: account.deviceKey, freshness: request.opened.freshness)
            try account.checkMayLogIn()
            return try rows.ringingSessions(of: account.id, at: request.now)
        }
        return Reply(Waiting(logins: sessions.inTurn.prefix(Waiting.mostAtOnce).compactMap { waiting($0, keys) }))
    }

    /// Its link is the same each time.
    private func waiting(_ session: Session, _ keys: ServerKeys) -> WaitingLogin? {
        guard let end = session.runsOutAt else { return nil }
        let link = LoginLink(
            serverTag: keys.root.tag, sessionID: session.id, issuedAt: UInt32(clamping: session.startedAt.seconds), frame: 0, binding: .push,
            qrSecret: keys.derivation.linkSecret(of: session.id))
        return WaitingLogin(link: Encoded(link), expiresAt: end)
    }
}
