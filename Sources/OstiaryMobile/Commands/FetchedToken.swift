import OstiaryProtocol

/// The token of `getToken(for:)`: what the provider answered to the exchange of an AppLogin, byte for byte.
extension Engine {
    func fetchToken(_ id: Session.ID) throws(OstiaryError) {
        guard let session = session(id)?.shown else { throw .wrongOrder }
        guard let settings = configuration.tokens, configuration.bindsTokens else { throw .notOffered }
        guard session.isAppLogin, session.isLoggedIn else { throw .wrongOrder }
        let client = TokenClient(settings, ports: ports, source: nil, random: random)
        runInBackground { engine in await engine.fetchToken(id, by: client) }
    }

    private func fetchToken(_ id: Session.ID, by client: TokenClient) async {
        do throws(TokenError) {
            guard let grant = try appLoginGrant(), grant.session == id else { return }
            let token = Token(bytes: try await client.rawExchange(grant))
            // What came too late is of a login that is over.
            if let session = session(id)?.shown, session.isLoggedIn { emit(.token(token, session: session)) }
        } catch {
            emit(.error(OstiaryError(error), session: session(id)?.shown))
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
