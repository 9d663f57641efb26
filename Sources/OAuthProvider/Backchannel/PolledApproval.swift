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
        let (id, onPhone) = (GrantID(using: context.random), GrantID(using: context.random))
        return try await context.store.write { rows -> PolledAuthorization? in
            guard let login = try rows.login(of: session, at: server, now: now) else { throw AuthorizeRefusal.loginRequired }
            guard let stored = try rows.polled(hash: hash, of: server), stored.mayBeDecided(by: login.account) else { return nil }
            // Also when its client was quick and has it by now.
            if stored.grant == id { return stored }
            let waiting = try rows.followingCode(stored, granting: onPhone, at: now)
            guard let approved = waiting.decided(id, at: now) else { return nil }
            guard try shown.map({ try rows.isAsShown($0, at: server) }) ?? true else { throw AuthorizationRequestChanged() }
            try waiting.check(login)
            let granted = waiting.scopes.intersection(scopes).given(byOfflineCode: login.isOffline)
            guard !granted.isEmpty else { throw AuthorizeRefusal.nothingToGrant }
            try rows.begin(
                Grant(
                    id: id, server: server, client: waiting.client, holder: GrantHolder(of: login, in: session, granted), scopes: granted,
                    api: waiting.api, authentication: AuthenticationClaims(of: login), nonce: nil, session: session, createdAt: now))
            try rows.save(approved)
            try rows.endOnPhones(approved, at: now)
            return approved
        }
    }

    /// The person said no; nil when it was decided before, is over, or is for somebody else.
    package func deny(_ hash: [UInt8], at server: ServerID, account: AccountID, now: Instant) async throws -> PolledAuthorization? {
        let onPhone = GrantID(using: context.random)
        return try await context.store.write { rows, former -> PolledAuthorization? in
            guard let stored = try rows.polled(hash: hash, of: server), stored.mayBeDecided(by: account) else { return nil }
            if stored.state == .denied, former ?? nil != nil { return stored }
            guard let denied = try rows.followingCode(stored, granting: onPhone, at: now).decided(nil, at: now) else { return nil }
            try rows.save(denied)
            try rows.endOnPhones(denied, at: now)
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
    /// A device's code as a phone has decided it by now: who decides it on a page comes after that.
    fileprivate func followingCode(_ waiting: PolledAuthorization, granting id: GrantID, at now: Instant) throws -> PolledAuthorization {
        waiting.isOfDevice ? try following(waiting, granting: id, at: now).authorization : waiting
    }

    /// A phone that was shown the code is told that it is over. One whose yes came first was found above.
    fileprivate func endOnPhones(_ decided: PolledAuthorization, at now: Instant) throws {
        guard decided.isOfDevice, let session = decided.session else { return }
        try endPushed(session, of: nil, at: decided.server, by: .page, now: now)
    }

    /// Whether client and API are what a person was shown, in another transaction.
    func isAsShown(_ shown: PolledQuestion, at server: ServerID) throws -> Bool {
        guard try application(shown.application.id, of: server) == shown.application else { return false }
        return try shown.authorization.api.flatMap { try api($0, of: server) } == shown.api
    }
}
