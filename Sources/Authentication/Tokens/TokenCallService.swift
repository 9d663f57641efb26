import OstiaryProtocol

/// GetToken: an AppLogin asks for a token of the service behind its virtual server (protocol §8). Here is who may ask, and whether the answer may be handed on;
/// between the two the service is asked, and neither a transaction nor a thread waits for it.
package struct TokenCallService: Sendable {
    private let store: any AuthenticationStore
    private let limits: ServiceCallLimits

    package init(store: any AuthenticationStore, limits: ServiceCallLimits = ServiceCallLimits(mostInMinute: ServiceCallLimits.mostTokensInMinute)) {
        self.store = store
        self.limits = limits
    }

    /// Spends the request, and asks once. The place that the call has taken is given back whatever `ask` does.
    /// - Parameters:
    ///   - ask: calls the service; may take as long as the service may.
    ///   - clock: read when it has answered.
    /// - Throws: `Refusal`.
    package func answer(
        _ request: PhoneRequest, clock: @Sendable () -> Instant, ask: @Sendable (TokenServiceCall) async -> ServiceAnswer
    ) async throws -> Reply {
        let message = try decoded(GetToken.self, from: request)
        let call = try await admit(message, request)
        try limits.begin(call.account, at: request.server, now: request.now)
        defer { limits.end(call.account, at: request.server) }
        let answer = await ask(call)
        let now = clock()
        // Whoever logged out while the service was thinking gets nothing, also no word of how that went.
        try await store.read { rows in _ = try login(of: call.session, at: request.server, now: now, in: rows) }
        switch answer {
        case .trouble(let trouble): throw Refusal.service(trouble)
        case .bytes(let bytes):
            guard let token = ServiceToken(token: bytes) else { throw Refusal.service(.answer) }
            return Reply(token)
        }
    }

    private func admit(_ message: Encoded<GetToken>, _ request: PhoneRequest) async throws -> TokenServiceCall {
        let (id, freshness) = (message.value.sessionID, request.opened.freshness)
        try await request.verifyAhead(message, freshness: freshness, in: store) { rows in
            try rows.session(id)?.account.flatMap { try rows.account($0)?.deviceKey }
        }
        return try await store.write { rows, former in
            let signer = try signer(of: id, at: request.server, in: rows)
            do { try request.verify(message, by: signer.deviceKey, freshness: freshness) } catch { throw Refusal.sessionOfAnother }
            let (session, login, account) = try login(of: id, at: request.server, now: request.now, in: rows)
            guard let service = try rows.service(.token, of: request.server) else { throw Refusal.notOffered }
            try request.spend(in: rows, again: former != nil)
            return TokenServiceCall(service, message.value.callID, of: session, login, account)
        }
    }

    /// Whose signature counts: of the account that is, or was, logged in.
    private func signer(of id: SessionID, at server: ServerID, in rows: any AuthenticationRows) throws -> Account {
        guard let session = try rows.session(id), session.server == server, let login = session.approval ?? session.stopped
        else { throw Refusal.sessionUnknown }
        return try rows.living(login.account, at: server)
    }

    /// A login that goes on, of an app, whose account may log in.
    private func login(
        of id: SessionID, at server: ServerID, now: Instant, in rows: any AuthenticationRows
    ) throws -> (Session, Login, Account) {
        let account = try signer(of: id, at: server, in: rows)
        guard let session = try rows.session(id)?.settled(at: now), case .loggedIn(let login) = session.state else { throw Refusal.sessionOver }
        guard session.purpose == .app else { throw Refusal.notAppLogin }
        try account.checkMayLogIn()
        return (session, login, account)
    }
}

extension Session {
    /// The login that was ended.
    fileprivate var stopped: Login? { if case .stopped(let login, _, _) = state { login } else { nil } }
}
