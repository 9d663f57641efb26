import OstiaryProtocol
import OstiaryTokens

/// What is known of a token now (RFC 7662 §2.2). A token that opens nothing is not told about.
package enum TokenFacts: Equatable, Sendable {
    case inactive
    case accessToken(AccessTokenClaims)
    case refreshToken(StandingGrant)

    package var json: JSONObject {
        switch self {
        case .inactive: return JSONObject(["active": .bool(false)])
        case .accessToken(let claims):
            var object = claims.json
            object["active"] = .bool(true)
            object["token_type"] = .string((claims.boundKey == nil ? TokenResponse.TokenType.bearer : .dpop).rawValue)
            return object
        case .refreshToken(let standing):
            return JSONObject([
                "active": .bool(true), "client_id": .string(standing.grant.client.text), "sub": .string(standing.person.subject),
                "scope": .string(standing.grant.scopes.text),
            ])
        }
    }
}

/// Which kind of token a text is, with its signature verified; whether it stands is the store's to say.
enum ReadToken: Sendable {
    case jwt(AccessTokenClaims)
    case refresh(RefreshToken)
    case text(hash: [UInt8])

    init(_ text: String, _ keys: TokenKeys, at now: Instant) {
        if let token = keys.derivation.refreshToken(text) {
            self = .refresh(token)
        } else if let claims = Self.claims(text, keys, at: now) {
            self = .jwt(claims)
        } else {
            self = .text(hash: SHA(text.utf8))
        }
    }

    private static func claims(_ text: String, _ keys: TokenKeys, at now: Instant) -> AccessTokenClaims? {
        guard let token = try? UnverifiedJWS(compact: text).verified(by: keys.published, as: .accessToken),
            let claims = try? AccessTokenClaims(token.claims), claims.issuer == keys.issuer, now < claims.expiresAt
        else { return nil }
        return claims
    }
}

extension OAuthRows {
    /// The claims of an access token that opens something now: it was not revoked, and what it hangs on stands.
    func active(_ claims: AccessTokenClaims, of server: ServerID, at now: Instant) throws -> AccessTokenClaims? {
        guard now < claims.expiresAt, try !isRevoked(tokenID: claims.id, of: server), let holder = TokenNumber.holder(of: claims.id),
            let client = try ClientID(claims.clientID).flatMap({ try application($0, of: server) }), client.isEnabled
        else { return nil }
        switch holder {
        case .client: return claims
        case .grant(let id): return try standing(id, at: now) == nil ? nil : claims
        }
    }

    func active(_ token: ReadToken, of server: ServerID, at now: Instant) throws -> TokenFacts {
        switch token {
        case .jwt(let claims): return try active(claims, of: server, at: now).map { .accessToken($0) } ?? .inactive
        case .text(let hash):
            guard let token = try self.opaqueToken(hash: hash, of: server), let claims = try active(token.claims, of: server, at: now) else {
                return .inactive
            }
            return .accessToken(claims)
        case .refresh(let token):
            guard let family = try self.family(of: token.grant), family.server == server, case .give = family.ruling(on: token.generation, at: now),
                let standing = try self.standing(token.grant, at: now)
            else { return .inactive }
            return .refreshToken(standing)
        }
    }
}

/// The introspection endpoint (RFC 7662): is this still good, now?
package struct IntrospectionService: Sendable {
    let context: ProviderContext

    /// - Throws: `TokenRefusal`, for a caller that does not show who it is: what a token is worth is not for everybody (§2.1).
    package func facts(_ call: TokenCall, at now: Instant) async throws -> TokenFacts {
        try call.checkForm()
        let client = try call.presentedClient()
        let keys = try await context.keyring.keys(of: call.server)
        // Its signature is verified outside every look at the rows. That there is none is told to nobody who has not shown who it is.
        let token = call.parameters["token"].map { ReadToken($0, keys, at: now) }
        let look = { @Sendable (rows: any OAuthRows, application: Application) throws -> TokenFacts in
            guard !application.isPublic else { throw TokenRefusal.publicClient }
            guard let token else { throw TokenRefusal.parameterMissing("token") }
            let facts = try rows.active(token, of: call.server, at: now)
            guard application.maySee(facts) else { return .inactive }
            guard case .text = token, case .accessToken(var claims) = facts else { return facts }
            claims.custom = try rows.addedClaims(to: claims, of: call.server, at: now)
            return .accessToken(claims)
        }
        // An assertion has to be taken once; a secret is no reason to write.
        let redemption = RedemptionID(using: context.random)
        var seen = try await context.reading(call, as: client, named: redemption, at: now) { authenticated, rows in
            try look(rows, authenticated.application)
        }
        if seen == nil { seen = try await context.write(for: try await context.authenticated(call, as: client, at: now), look) }
        return seen ?? .inactive
    }
}

extension Application {
    /// Whether it asks about a token of its own, or about one for an API that it serves.
    fileprivate func maySee(_ facts: TokenFacts) -> Bool {
        switch facts {
        case .inactive: true
        case .accessToken(let claims): claims.clientID == id.text || claims.audiences.contains { text in serves.contains { $0.text == text } }
        case .refreshToken(let standing): standing.grant.client == id
        }
    }
}
