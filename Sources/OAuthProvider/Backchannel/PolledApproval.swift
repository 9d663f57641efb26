import Authentication
import OstiaryProtocol
import OstiaryTokens

/// A person decides what a client on another device waits for.
package struct PolledApproval: Sendable {
    let context: ProviderContext

    /// The person who is logged in by a session lets the client do this, or less.
    /// - Parameters:
    ///   - hash: of the device code or the auth_req_id.
    ///   - shown: what the person read, where our page showed it: the names and words that they agree to are those of this client and API, as they are then.
    /// - Returns: the authorization as it is now; nil when it was decided before, is over, or is for somebody else.
    /// - Throws: `AuthorizationRequestChanged` when they are others by now; `AuthorizeRefusal.loginRequired` and `.requirementsUnmet`, when the login is not one for this; `.nothingToGrant` for nothing of what was
    ///   asked: whoever lets the client do nothing says no.
    package func approve(
        _ hash: [UInt8], at server: ServerID, scopes: ScopeSet, session: SessionID, shown: PolledQuestion? = nil, now: Instant
    ) async throws -> PolledAuthorization? {
        let id = GrantID(using: context.random)
        return try await context.store.write { rows -> PolledAuthorization? in
            guard let login = try rows.login(of: session, at: server, now: now) else { throw AuthorizeRefusal.loginRequired }
            guard let waiting = try rows.polled(hash: hash, of: server), waiting.mayBeDecided(by: login.account) else { return nil }
            // Also when its client was quick and has it by now.
            if waiting.grant == id { return waiting }
            guard let approved = waiting.decided(id, at: now) else { return nil }
            guard try shown.map({ try rows.isAsShown($0, at: server) }) ?? true else { throw AuthorizationRequestChanged() }
            try waiting.check(login)
            let granted = waiting.scopes.intersection(scopes)
            guard !granted.isEmpty else { throw AuthorizeRefusal.nothingToGrant }
            try rows.begin(
                Grant(
                    id: id, server: server, client: waiting.client, holder: GrantHolder(of: login, in: session, granted), scopes: granted,
                    api: waiting.api, authentication: AuthenticationClaims(of: login), nonce: nil, session: session, createdAt: now))
            try rows.save(approved)
            return approved
        }
    }

    /// The person said no; nil when it was decided before, is over, or is for somebody else.
    package func deny(_ hash: [UInt8], at server: ServerID, account: AccountID, now: Instant) async throws -> PolledAuthorization? {
        try await context.store.write { rows, former -> PolledAuthorization? in
            guard let waiting = try rows.polled(hash: hash, of: server), waiting.mayBeDecided(by: account) else { return nil }
            if waiting.state == .denied, former ?? nil != nil { return waiting }
            guard let denied = waiting.decided(nil, at: now) else { return nil }
            try rows.save(denied)
            return denied
        }
    }
}

extension PolledAuthorization {
    /// A code on a screen is anybody's who sees it; what a client asked of a person is theirs.
    fileprivate func mayBeDecided(by account: AccountID) -> Bool {
        switch way {
        case .device: true
        case .backchannel(let asked): asked == account
        }
    }

    /// What a client asks of a person by name is decided by a login for it; who brings a code may have logged in before.
    fileprivate func check(_ login: Login) throws(AuthorizeRefusal) {
        if case .backchannel = way {
            guard login.at >= createdAt else { throw .loginRequired }
        }
        guard login.isStrongEnough(for: strengths) else { throw .requirementsUnmet }
    }

    package func isWaiting(at now: Instant) -> Bool { state == .pending && now <= expiresAt }
}

extension OAuthRows {
    /// Whether client and API are what a person was shown, in another transaction.
    fileprivate func isAsShown(_ shown: PolledQuestion, at server: ServerID) throws -> Bool {
        guard try application(shown.application.id, of: server) == shown.application else { return false }
        return try shown.authorization.api.flatMap { try api($0, of: server) } == shown.api
    }
}
