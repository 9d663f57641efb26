import OstiaryProtocol

/// Why an access token opens nothing.
package enum AccessTokenRefusal: Error, Equatable, Sendable {
    case token(JOSEError)
    case claims(ClaimError)
    case issuerWrong, audienceWrong
    /// The token is bound to a key, and came without a proof of it, or the other way round.
    case proofMissing, proofUnexpected
    /// The proof is by another key.
    case keyWrong
}

/// The checks of a resource server on an access token, in the order of RFC 9068 §4.
package struct AccessTokenCheck: Sendable {
    /// Seconds by which clocks may differ.
    package static let leeway: UInt64 = 5

    package let issuer: String
    /// The identifier of the API, of which one of the token's audiences has to be a copy.
    package let audience: String
    package let keys: JWKSet
    package let algorithms: Set<SignatureAlgorithm>

    package init(issuer: String, audience: String, keys: JWKSet, algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases)) {
        self.issuer = issuer
        self.audience = audience
        self.keys = keys
        self.algorithms = algorithms
    }

    /// - Parameter proof: the key of the proof of possession that came along, verified for this very token; nil for a bearer token.
    package func claims(of text: String, proof: Thumbprint?, at now: Instant) throws(AccessTokenRefusal) -> AccessTokenClaims {
        let token = try verified(text)
        let claims = try read(token, at: now)
        guard claims.issuer == issuer else { throw .issuerWrong }
        guard claims.audiences.contains(audience) else { throw .audienceWrong }
        switch (claims.boundKey, proof) {
        case (nil, nil): break
        case (.some, nil): throw .proofMissing
        case (nil, .some): throw .proofUnexpected
        case (let bound?, let shown?):
            guard bound == shown else { throw .keyWrong }
        }
        return claims
    }

    private func verified(_ text: String) throws(AccessTokenRefusal) -> VerifiedJWS {
        do { return try UnverifiedJWS(compact: text).verified(by: keys, as: .accessToken, allowing: algorithms) } catch { throw .token(error) }
    }

    private func read(_ token: VerifiedJWS, at now: Instant) throws(AccessTokenRefusal) -> AccessTokenClaims {
        do {
            let claims = try AccessTokenClaims(token.claims)
            try token.claims.checkTimes(at: now, leeway: Self.leeway)
            return claims
        } catch { throw .claims(error) }
    }
}
