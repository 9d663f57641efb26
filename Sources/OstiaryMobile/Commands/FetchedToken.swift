import OstiaryProtocol

/// The token of `getToken(for:)`: what the service behind the server answered, byte for byte; where the server has none, what its provider answered to the
/// exchange of the AppLogin. Which of the two is the operator's to say, never the network's: a service that fails is not replaced by the other.
extension Engine {
    func fetchToken(_ id: Session.ID) throws(OstiaryError) {
        guard let session = session(id)?.shown, session.isAppLogin, session.isLoggedIn else { throw .wrongOrder }
        // One for all tries of this call.
        let call = CallID(using: random)
        runInBackground { engine in await engine.fetchToken(id, call) }
    }

    private func fetchToken(_ id: Session.ID, _ call: CallID) async {
        do throws(OstiaryError) {
            var bytes = try await serviceToken(id, call)
            if bytes == nil { bytes = try await exchangedToken(id) }
            // What came too late is of a login that is over.
            guard let bytes, let session = session(id)?.shown, session.isLoggedIn else { return }
            emit(.token(Token(bytes: bytes), session: session))
        } catch {
            emit(.error(error, session: session(id)?.shown))
        }
    }

    /// Nil where the server has no such service (protocol §8). One of before this message refuses it.
    private func serviceToken(_ id: Session.ID, _ call: CallID) async throws(OstiaryError) -> [UInt8]? {
        let (sid, account) = try asker(id)
        var line = ServerLine(of: account)
        line.isQuiet = true
        let answer = try await line.ask(
            GetToken(sessionID: sid, callID: call), for: ServiceToken.self, while: { () throws(OstiaryError) in _ = try asker(id) },
            declining: { $0 == .notOffered || $0 == .refused }, by: self)
        guard case .done(let reply) = answer else { return nil }
        return reply.value.token
    }

    /// The login that asks, as long as it goes on.
    private func asker(_ id: Session.ID) throws(OstiaryError) -> (sid: SessionID, account: StoredAccount) {
        guard let session = session(id), session.shown.isLoggedIn, let sid = session.sid,
            let account = session.account.flatMap({ stored?.account($0) })
        else { throw .sessionOver }
        return (sid, account)
    }

    /// Nil where the login is over meanwhile.
    private func exchangedToken(_ id: Session.ID) async throws(OstiaryError) -> [UInt8]? {
        guard let settings = configuration.tokens, configuration.bindsTokens else { throw .notOffered }
        let client = TokenClient(settings, ports: ports, source: nil, random: random)
        do throws(TokenError) {
            guard let grant = try appLoginGrant(), grant.session == id else { return nil }
            return try await client.rawExchange(grant)
        } catch {
            throw OstiaryError(error)
        }
    }
}

extension Core {
    func tokenClient(_ settings: TokenSettings) -> TokenClient { engine.tokenClient(settings, source: self) }
}

extension Engine {
    nonisolated func tokenClient(_ settings: TokenSettings, source: any AppLoginSource) -> TokenClient {
        TokenClient(settings, ports: ports, source: source, random: random)
    }
}

extension OstiaryError {
    /// Of an exchange, as the events of the SDK tell it.
    init(_ error: TokenError) {
        self =
            switch error {
            case .serverConnection: .serverConnection
            case .serverBusy: .tooMany
            case .certificateUntrusted: .certificateUntrusted
            case .serverAnswer, .metadata, .idToken: .serverAnswer
            case .clockWrong: .clockWrong
            case .notLoggedIn, .loginOver: .sessionOver
            case .cancelled: .cancelled
            case .keyStore: .keyStore
            case .storeUnavailable, .busy: .storeUnavailable
            case .storeUnreadable: .storeUnreadable
            case .denied, .interactionRequired, .inProgress, .codeSpent, .callback, .browserUnavailable, .refused, .accessTokenRefused, .settings:
                .refused
            }
    }
}
