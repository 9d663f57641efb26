import OstiaryTokens

/// `refresh_token` (RFC 6749 §6): by which token comes next, see `RefreshFamily`.
package struct RefreshGrant: TokenGrant {
    package static let type = GrantType.refreshToken

    private let text: String
    /// What the next access token is to have; nil for all.
    private let scopes: ScopeSet?
    private let target: APIIdentifier?

    package init(_ parameters: Parameters) throws(TokenRefusal) {
        text = try parameters.required("refresh_token")
        scopes = try parameters.scopes()
        target = try parameters.target()
    }

    package func redeem(_ turn: TokenTurn, in rows: any OAuthRows) throws -> Redemption {
        guard let token = turn.derivation.refreshToken(text), let family = try rows.family(of: token.grant), family.server == turn.server else {
            return .refused(.refreshUnknown)
        }
        guard family.client == turn.application.id else { return .refused(.refreshOfAnother) }
        if let refusal = refusal(of: family.binding, turn) { return .refused(refusal) }
        guard let standing = try rows.standing(token.grant, at: turn.now) else {
            // Whoever looks again after a lost commit finds what it ended itself: the alarm is the same.
            if case .refused(.refreshReused)? = turn.former { return .refused(.refreshReused) }
            return .refused(.grantOver)
        }
        guard standing.grant.isFor(target) else { return .refused(.targetUnknown) }
        // Less may be asked for one access token; the refresh token keeps what it has.
        guard scopes?.isSubset(of: standing.grant.scopes) ?? true else { return .refused(.scopeNotGranted) }
        switch family.ruling(on: token.generation, at: turn.now) {
        case .give(let generation, let family):
            return try turn.issue(on: standing, scopes: scopes ?? standing.grant.scopes, refresh: (family, generation), in: rows)
        case .reused:
            try rows.endForReuse(token.grant, at: turn.now)
            return .refused(.refreshReused)
        case .expired: return .refused(.refreshExpired)
        case .unknown: return .refused(.refreshUnknown)
        }
    }

    private func refusal(of binding: RefreshFamily.Binding, _ turn: TokenTurn) -> TokenRefusal? {
        switch binding {
        case .none: return nil
        // An operator took its credentials from the client since: what was never renewed because of them would be anybody's.
        case .client: return turn.application.isPublic ? .refreshOfAnother : nil
        case .key(let key):
            guard let proof = turn.proof else { return .proof(.missing) }
            return proof.thumbprint == key ? nil : .proof(.otherKey)
        }
    }
}
