import OstiaryProtocol
import OstiaryTokens

/// Why userinfo says nothing (RFC 6750 §3, RFC 9449 §7).
package enum ResourceRefusal: Error, Equatable, Sendable {
    /// Nobody tried: no word is said of what was wrong (RFC 6750 §3.1).
    case noToken
    /// Twice, or in a place where tokens end up in logs.
    case badRequest
    case tokenWrong
    case scopeMissing
    case proof(DPoPRefusal)

    package var status: Int {
        switch self {
        case .badRequest: 400
        case .noToken, .tokenWrong, .proof: 401
        case .scopeMissing: 403
        }
    }

    /// `WWW-Authenticate`: by the scheme that was tried, both where none was.
    package func challenge(to scheme: PresentedToken.Scheme?) -> String {
        guard let code, let scheme else { return "\(PresentedToken.Scheme.bearer.challenge), \(PresentedToken.Scheme.dpop.challenge)" }
        let scope = self == .scopeMissing ? #", scope="openid""# : ""
        return "\(scheme.challenge), error=\"\(code.rawValue)\"\(scope)"
    }

    /// For the developer of the client; nil where nobody tried.
    package var description: String? {
        switch self {
        case .noToken: nil
        case .badRequest: "one access token, in the Authorization field or in a form: never in the address"
        case .tokenWrong: "the token is not good here, or not any more"
        case .scopeMissing: "the token is not for openid"
        case .proof(let refusal): TokenRefusal.proof(refusal).description
        }
    }

    /// Nil where nobody tried: what is wrong with nothing is not told (RFC 6750 §3.1).
    package var code: OAuthErrorCode? {
        switch self {
        case .noToken: nil
        case .badRequest: .invalidRequest
        case .tokenWrong: .invalidToken
        case .scopeMissing: .insufficientScope
        case .proof(.nonceNeeded): .useDPoPNonce
        case .proof: .invalidDPoPProof
        }
    }
}

extension PresentedToken.Scheme {
    fileprivate var challenge: String {
        switch self {
        case .bearer: #"Bearer realm="userinfo""#
        case .dpop: #"DPoP algs="ES256 EdDSA""#
        }
    }
}

/// An access token as a request brings it: in its header (RFC 6750 §2.1, RFC 9449 §7.1), or as a member of a form that is posted (RFC 6750 §2.2). Never in
/// an address.
package struct PresentedToken: Sendable {
    package enum Scheme: Sendable {
        case bearer, dpop
    }

    package let scheme: Scheme
    package let text: String

    /// - Parameters:
    ///   - authorization: the values of all `Authorization` header fields.
    ///   - isInQuery: whether the address has an `access_token`, which ends up in logs (RFC 9700 §4.3.2).
    ///   - posted: the values of all `access_token` of a form.
    package init(authorization: [String], isInQuery: Bool, posted: [String] = []) throws(ResourceRefusal) {
        // One way only (RFC 6750 §2).
        guard !isInQuery, authorization.count + posted.count <= 1 else { throw .badRequest }
        if let text = posted.first {
            guard !text.isEmpty else { throw .badRequest }
            self.text = text
            scheme = .bearer
            return
        }
        guard let field = authorization.first else { throw .noToken }
        let parts = field.split(separator: " ", omittingEmptySubsequences: false)
        switch parts.first?.lowercased() {
        case "bearer": scheme = .bearer
        case "dpop": scheme = .dpop
        default: throw .noToken
        }
        guard parts.count == 2, !parts[1].isEmpty else { throw .badRequest }
        text = String(parts[1])
    }
}

extension PresentedToken: CustomStringConvertible, CustomReflectable {
    package var description: String { "‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The userinfo endpoint (OpenID Connect Core §5.3).
package struct UserInfoService: Sendable {
    let context: ProviderContext

    /// What the token's person lets its client see.
    /// - Parameters:
    ///   - proofs: the values of all `DPoP` header fields.
    ///   - use: the request, without the token.
    /// - Throws: `ResourceRefusal`.
    package func claims(for presented: PresentedToken, proofs: [String], _ use: DPoPUse, at server: ServerID, now: Instant) async throws -> JSONObject
    {
        let keys = try await context.keyring.keys(of: server)
        let proof = try Self.proof(proofs, for: presented, use, at: now)
        let token = ReadToken(presented.text, keys, at: now)
        let redemption = RedemptionID(using: context.random)
        let look = { @Sendable (rows: any OAuthRows) throws -> JSONObject in
            guard case .accessToken(let claims) = try rows.active(token, of: server, at: now), claims.audiences.contains(keys.issuer) else {
                throw ResourceRefusal.tokenWrong
            }
            guard claims.boundKey == proof?.thumbprint else { throw ResourceRefusal.tokenWrong }
            guard claims.allows(Scope.openID.text) else { throw ResourceRefusal.scopeMissing }
            guard case .grant(let id) = TokenNumber.holder(of: claims.id), let standing = try rows.standing(id, at: now) else {
                throw ResourceRefusal.tokenWrong
            }
            var object = JSONObject(["sub": .string(standing.person.subject)])
            let scopes = (try? ScopeSet(parsing: claims.scope)) ?? []
            standing.person.profile.write(scopes.claims.union(standing.grant.asked.userInfo), to: &object)
            return object
        }
        guard let proof else { return try await context.store.read(look) }
        return try await context.store.write { rows in
            guard try rows.spend(proof.spentAs, by: redemption, until: proof.goodUntil) else { throw ResourceRefusal.proof(.replayed) }
            return try look(rows)
        }
    }

    /// A token that was shown with the scheme of proofs comes with one, and one that was not with none: RFC 9449 §7.1.
    private static func proof(_ fields: [String], for token: PresentedToken, _ use: DPoPUse, at now: Instant) throws(ResourceRefusal) -> DPoPProof? {
        guard token.scheme == .dpop else { return nil }
        let whole = DPoPUse(method: use.method, target: use.target, accessToken: token.text, nonces: use.nonces)
        do throws(DPoPRefusal) {
            guard let proof = try UnverifiedDPoPProof(fields: fields) else { throw .missing }
            return try proof.verified(for: whole, at: now)
        } catch { throw .proof(error) }
    }
}
