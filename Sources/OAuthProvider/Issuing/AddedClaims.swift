import OstiaryProtocol
import OstiaryTokens

/// What an operator lets access tokens say of their person (RFC 9068 §2.2.2).
extension OAuthRows {
    /// The claims that an API wants besides those of every token, with what is true now. What nobody knows is left out.
    ///
    /// Whoever holds a JWT can read it. So a client that people are asked about sees of their profile here what they let it see elsewhere.
    /// - Parameter scopes: of the token.
    func addedClaims(at api: ProtectedAPI, to standing: StandingGrant, for application: Application, scopes: ScopeSet) throws -> JSONObject {
        let isAsked = ScopeRule(application: application, api: api).needsConsent
        var object = JSONObject()
        for (name, source) in api.addedClaims.sorted(by: { $0.key.text < $1.key.text }) {
            if isAsked, let claim = source.claim, !scopes.claims.contains(claim) { continue }
            object[name.text] = try value(source, at: api, of: standing)
        }
        return object
    }

    private func value(_ source: ClaimSource, at api: ProtectedAPI, of standing: StandingGrant) throws -> JSONValue? {
        let account = standing.grant.holder.account
        switch source {
        case .name, .picture, .email, .emailVerified: return source.claim.flatMap(standing.person.profile.value)
        case .account: return .string(account.text)
        case .roles: return .strings(try roles(of: account, at: api.server).sorted())
        case .permissions:
            let permitted = try permissions(of: account, at: api.identifier, server: api.server)
            return .strings(api.allScopes.intersection(permitted).scopes.map(\.text).sorted())
        }
    }

    /// The same for a token that says nothing by itself, when its API asks about it.
    func addedClaims(to claims: AccessTokenClaims, of server: ServerID, at now: Instant) throws -> JSONObject {
        // The API is its first audience; of one for userinfo alone that is the provider, which is none.
        guard let api = try claims.audiences.first.flatMap({ APIIdentifier($0) }).flatMap({ try self.api($0, of: server) }), !api.addedClaims.isEmpty,
            case .grant(let id)? = TokenNumber.holder(of: claims.id), let standing = try standing(id, at: now),
            let application = try application(standing.grant.client, of: server)
        else { return JSONObject() }
        return try addedClaims(at: api, to: standing, for: application, scopes: (try? ScopeSet(parsing: claims.scope)) ?? [])
    }
}
