import OstiaryProtocol
import OstiaryTokens

/// One call at the token endpoint, after the client and the proof were checked: all that a grant needs to decide.
package struct TokenTurn: Sendable {
    package let server: ServerID
    package let application: Application
    /// A proof of possession, verified and spent.
    package let proof: DPoPProof?
    package let issuer: String
    package let derivation: TokenDerivation
    package let minted: MintedValues
    /// What this very call came to before, when it looks again because nobody heard whether that was kept. It counts where a row says so: others may
    /// have come in between, and by what they did it could not be decided once more.
    package let former: Redemption?
    package let now: Instant

    package init(
        server: ServerID, application: Application, proof: DPoPProof?, issuer: String, derivation: TokenDerivation, minted: MintedValues,
        former: Redemption? = nil, now: Instant
    ) {
        self.server = server
        self.application = application
        self.proof = proof
        self.issuer = issuer
        self.derivation = derivation
        self.minted = minted
        self.former = former
        self.now = now
    }
}

/// What a grant came to. A refusal is a value, because what was written with it stays: a spent code, a revoked family.
package enum Redemption: Sendable {
    case issued(Issuance)
    case refused(TokenRefusal)
}

/// What every grant does in the end: write down what is given, and say what the tokens claim.
extension TokenTurn {
    /// Tokens on a grant.
    /// - Parameters:
    ///   - scopes: of the access token, all of them granted.
    ///   - refresh: the family whose token is given along, and its generation.
    ///   - isFirst: whether they are the first on the grant.
    func issue(
        on standing: StandingGrant, scopes: ScopeSet, refresh: (family: RefreshFamily, generation: UInt32)? = nil, isFirst: Bool = false,
        in rows: any OAuthRows
    ) throws -> Redemption {
        let grant = standing.grant
        // Asked each time: an operator may have taken the API from the client.
        let api = try grant.api.flatMap { try rows.api($0, for: application) }
        guard grant.api == nil || api != nil else { return .refused(.targetUnknown) }
        let rule = ScopeRule(application: application, api: api)
        let permissions = try api.flatMap { api in
            api.checksPermissions ? try rows.permissions(of: grant.holder.account, at: api.identifier, server: server) : nil
        }
        let granted = rule.granted(of: rule.allowed(of: scopes), permissions: permissions ?? [])
        guard !granted.isEmpty else { return .refused(.nothingGranted) }
        var claims = claims(subject: standing.person.subject, api: api, scopes: granted, on: grant, life: grant.life(ofTokenFor: api))
        // Of one that says nothing by itself its API hears them when it asks, as they are then.
        if let api, api.form == .jwt { claims.custom = try rows.addedClaims(at: api, to: standing, for: application, scopes: granted) }
        let accessToken = try accessToken(claims, of: api, on: grant.id, in: rows)
        if let refresh { try rows.save(refresh.family) }
        return .issued(
            Issuance(
                accessToken: accessToken, claims: claims,
                refreshToken: refresh.map { derivation.refreshToken(of: grant.id, generation: $0.generation) },
                idToken: granted.contains(.openID) ? idToken(standing, granted, isFirst: isFirst) : nil,
                idTokenAlgorithm: application.idTokenAlgorithm, scopes: granted, life: claims.expiresAt.seconds(since: now)))
    }

    /// A token that a machine gets for itself (RFC 6749 §4.4): no refresh token, and nobody's profile.
    func issue(to api: ProtectedAPI, scopes: ScopeSet, in rows: any OAuthRows) throws -> Redemption {
        let claims = claims(subject: application.id.text, api: api, scopes: scopes, on: nil, life: api.life)
        return .issued(
            Issuance(
                accessToken: try accessToken(claims, of: api, on: nil, in: rows), claims: claims, refreshToken: nil, idToken: nil,
                idTokenAlgorithm: application.idTokenAlgorithm, scopes: scopes, life: api.life))
    }

    private func accessToken(_ claims: AccessTokenClaims, of api: ProtectedAPI?, on grant: GrantID?, in rows: any OAuthRows) throws
        -> Issuance.AccessToken
    {
        guard let api else { return .jwt(.es256) }
        switch api.form {
        case .jwt: return .jwt(api.algorithm)
        case .opaque:
            try rows.save(OpaqueToken(hash: SHA(minted.opaqueToken.utf8), claims: claims, grant: grant), of: server)
            return .opaque(minted.opaqueToken)
        }
    }

    /// RFC 9068 §2.2. With `openid` it is good at userinfo, too: its second audience is the provider.
    private func claims(subject: String, api: ProtectedAPI?, scopes: ScopeSet, on grant: Grant?, life: UInt64) -> AccessTokenClaims {
        let provider = api == nil || scopes.contains(.openID) ? [issuer] : []
        return AccessTokenClaims(
            issuer: issuer, subject: subject, audiences: (api.map { [$0.identifier.text] } ?? []) + provider, clientID: application.id.text,
            issuedAt: now, expiresAt: now + life, id: TokenNumber.text(minted.tokenNumber, on: grant?.id), scope: scopes.text,
            authentication: grant?.authentication, boundKey: proof?.thumbprint)
    }

    /// The nonce of the request stands in its first ID token only (OpenID Connect Core §12.2).
    private func idToken(_ standing: StandingGrant, _ scopes: ScopeSet, isFirst: Bool) -> IDTokenClaims {
        IDTokenClaims(
            issuer: issuer, subject: standing.person.subject, clientID: application.id.text, issuedAt: now,
            authentication: standing.grant.authentication, nonce: isFirst ? standing.grant.nonce : nil, session: standing.grant.session.text,
            profile: standing.person.profile, telling: scopes.claims.union(standing.grant.asked.idToken))
    }
}

extension TokenTurn {
    /// The first tokens on a grant that was just given, with the first of its refresh tokens if it outlives its session.
    /// - Parameters:
    ///   - target: the API that the call names; nil for that of the grant.
    ///   - isLoggedIn: whether the login must go on in which the grant was given, also where the grant outlives it.
    func begin(
        on id: GrantID, for target: APIIdentifier? = nil, whileLoggedIn isLoggedIn: Bool = false, in rows: any OAuthRows
    ) throws -> Redemption {
        guard let standing = try rows.standing(id, at: now) else { return .refused(.grantOver) }
        // One that hangs on the login stands with it.
        if isLoggedIn, case .device = standing.grant.holder, try rows.login(of: standing.grant.session, at: server, now: now) == nil {
            return .refused(.grantOver)
        }
        guard standing.grant.isFor(target) else { return .refused(.targetUnknown) }
        guard standing.grant.scopes.contains(.offlineAccess), application.grantTypes.contains(.refreshToken) else {
            return try issue(on: standing, scopes: standing.grant.scopes, isFirst: true, in: rows)
        }
        let family = RefreshFamily(
            grant: id, server: server, client: application.id, binding: refreshBinding, life: application.refreshLife, createdAt: now)
        let redemption = try issue(on: standing, scopes: standing.grant.scopes, refresh: (family, 0), isFirst: true, in: rows)
        if case .issued = redemption { try rows.makeRoom(for: standing.grant, at: now) }
        return redemption
    }

    /// A client that has credentials shows them at each refresh; for one that has none, its key stands in (RFC 9449 §5).
    private var refreshBinding: RefreshFamily.Binding {
        guard application.isPublic else { return .client }
        return proof.map { .key($0.thumbprint) } ?? .none
    }
}
