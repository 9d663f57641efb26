import Authentication
import OstiaryProtocol
import OstiaryTokens

extension OAuthRows {
    /// The authorization as the phone has decided it by now, written down if that is new. Nobody tells the provider of a decision: whoever asks finds it
    /// in the session, in the transaction that needs it, so that none is lost and none counts twice.
    /// - Parameter id: of the grant that a yes begins.
    func following(
        _ waiting: PolledAuthorization, granting id: GrantID, at now: Instant
    ) throws -> (authorization: PolledAuthorization, isBeingDecided: Bool) {
        guard waiting.state == .pending, let session = waiting.session else { return (waiting, false) }
        switch try outcome(ofPushed: session, at: waiting.server, now: now) {
        case nil, .over: return (waiting, false)
        case .undecided: return (waiting, true)
        case .denied: return (try deny(waiting, at: now), false)
        case .loggedIn(let login):
            // A client that asks for more than a phone can show gets nothing weaker.
            guard login.isStrongEnough(for: waiting.strengths), !waiting.scopes.isEmpty else { return (try deny(waiting, at: now), false) }
            guard let approved = waiting.decided(id, by: login.at, at: now) else { return (waiting, false) }
            try begin(
                Grant(
                    id: id, server: waiting.server, client: waiting.client, holder: GrantHolder(of: login, in: session, waiting.scopes),
                    scopes: waiting.scopes, api: waiting.api, authentication: AuthenticationClaims(of: login), nonce: nil, session: session,
                    createdAt: now))
            try save(approved)
            return (approved, false)
        }
    }

    private func deny(_ waiting: PolledAuthorization, at now: Instant) throws -> PolledAuthorization {
        guard let denied = waiting.decided(nil, by: now, at: now) else { return waiting }
        try save(denied)
        return denied
    }
}
