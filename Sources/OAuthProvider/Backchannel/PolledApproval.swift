import Authentication
import OstiaryProtocol
import OstiaryTokens

/// A person decides what a client on another device waits for.
package struct PolledApproval: Sendable {
    let store: any OAuthStore
    let random: any RandomSource

    package init(store: any OAuthStore, random: any RandomSource) {
        self.store = store
        self.random = random
    }

    /// The person who logged in for it lets the client do this, or less.
    /// - Parameter hash: of the device code or the auth_req_id.
    /// - Returns: the authorization as it is now; nil when it was decided before, is over, or is for somebody else.
    package func approve(
        _ hash: [UInt8], at server: ServerID, scopes: ScopeSet, login: Login, session: SessionID, now: Instant
    ) async throws -> PolledAuthorization? {
        let id = GrantID(using: random)
        return try await store.write { rows -> PolledAuthorization? in
            guard let waiting = try rows.polled(hash: hash, of: server), waiting.mayBeDecided(by: login.account) else { return nil }
            if waiting.state == .approved(id) { return waiting }
            guard try rows.person(of: login.account, at: server) != nil, let approved = waiting.decided(id, at: now) else { return nil }
            let granted = waiting.scopes.intersection(scopes)
            let holder: GrantHolder = granted.contains(.offlineAccess) ? .device(login.account) : .session(session, login.account)
            try rows.save(
                Grant(
                    id: id, server: server, client: waiting.client, holder: holder, scopes: granted, api: waiting.api,
                    authentication: AuthenticationClaims(of: login), nonce: nil, session: session, createdAt: now))
            try rows.save(approved)
            return approved
        }
    }

    /// The person said no; nil when it was decided before, is over, or is for somebody else.
    package func deny(_ hash: [UInt8], at server: ServerID, account: AccountID, now: Instant) async throws -> PolledAuthorization? {
        try await store.write { rows, former -> PolledAuthorization? in
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

    package func isWaiting(at now: Instant) -> Bool { state == .pending && now <= expiresAt }
}
