import OstiaryProtocol
import OstiaryTokens

/// The checks of a JWT as an access token (RFC 9068 §4, RFC 8725 §3): a table, in order, one rule a function, each with its own reason.
struct JWTCheck: Sendable {
    let rules: TokenRules
    let provider: ProviderSource

    /// What it claims, when all of it holds.
    /// - Throws: `.token`, and `.outage` where there are no keys to verify it with.
    func claims(of text: String, at now: Instant) async throws(ResourceRefusal) -> JSONObject {
        let token = try refusing { () throws(TokenFault) in try unsigned(text) }
        let claims = try await signed(token)
        try refusing { () throws(TokenFault) in try checkClaims(claims, at: now) }
        return claims
    }

    /// By the keys that are known; a signature that is wrong by them, by those that there are now.
    private func signed(_ token: UnverifiedJWS) async throws(ResourceRefusal) -> JSONObject {
        let keys = try await keys(for: token.header)
        do throws(TokenFault) { return try checkSignature(token, by: keys) } catch {
            guard error == .signatureWrong, let newer = try await keysNow(otherThan: keys) else { throw .token(error) }
            return try refusing { () throws(TokenFault) in try checkSignature(token, by: newer) }
        }
    }

    /// What is seen without a key. A provider is asked for keys for the sake of no other token.
    private func unsigned(_ text: String) throws(TokenFault) -> UnverifiedJWS {
        let token = try wellFormed(text)
        try checkAlgorithm(token)
        try checkType(token)
        return token
    }

    private func checkClaims(_ claims: JSONObject, at now: Instant) throws(TokenFault) {
        try checkKind(claims)
        try checkIssuer(claims)
        try checkAudience(claims)
        try checkExpiry(claims, at: now)
        try checkNotBefore(claims, at: now)
        try checkIssuedAt(claims, at: now)
        try checkRequired(claims)
    }

    private func keys(for header: JOSEHeader) async throws(ResourceRefusal) -> JWKSet {
        do { return try await provider.keys(for: header) } catch { throw .outage(error) }
    }

    private func keysNow(otherThan former: JWKSet) async throws(ResourceRefusal) -> JWKSet? {
        do { return try await provider.keys(otherThan: former) } catch { throw .outage(error) }
    }

    private func refusing<Result>(_ check: () throws(TokenFault) -> Result) throws(ResourceRefusal) -> Result {
        do { return try check() } catch { throw .token(error) }
    }
}

// What is seen without a key.
extension JWTCheck {
    /// Three parts of base64url, a header and claims that are JSON, no member twice, no `crit`, an algorithm that is known, a signature that is not empty
    /// (RFC 7515 §5.2). A key or an address of keys in the header (`jwk`, `jku`, `x5c`, `x5u`) is not looked at.
    private func wellFormed(_ text: String) throws(TokenFault) -> UnverifiedJWS {
        do { return try UnverifiedJWS(compact: text) } catch { throw TokenFault(error) }
    }

    /// RFC 8725 §3.1.
    private func checkAlgorithm(_ token: UnverifiedJWS) throws(TokenFault) {
        guard rules.algorithms.contains(token.header.algorithm) else { throw .algorithmNotAllowed }
    }

    /// RFC 9068 §4, RFC 8725 §3.11.
    private func checkType(_ token: UnverifiedJWS) throws(TokenFault) {
        do { try token.header.checkType(rules.type) } catch { throw TokenFault(error) }
    }
}

// What it takes a key for, and what the token says then.
extension JWTCheck {
    /// By the key that `kid` names; without `kid` by the only one of its kind.
    private func checkSignature(_ token: UnverifiedJWS, by keys: JWKSet) throws(TokenFault) -> JSONObject {
        do { return try token.verified(by: keys, as: rules.type, allowing: rules.algorithms).claims } catch { throw TokenFault(error) }
    }

    private static let marksOfOthers = ["nonce", "at_hash", "c_hash", "events"]

    /// Where `typ` doesn't tell an access token from the other tokens that the provider signs, their marks do.
    private func checkKind(_ claims: JSONObject) throws(TokenFault) {
        guard case .plain = rules.profile else { return }
        guard !Self.marksOfOthers.contains(where: { claims[$0] != nil }) else { throw .notAnAccessToken }
    }

    /// RFC 9068 §4, byte for byte.
    private func checkIssuer(_ claims: JSONObject) throws(TokenFault) {
        guard try claims.reading({ object throws(ClaimError) in try object.text("iss") }).hasBytes(of: rules.issuer) else { throw .issuerWrong }
    }

    /// RFC 9068 §4: a string or a list, one of which is the API.
    private func checkAudience(_ claims: JSONObject) throws(TokenFault) {
        guard try claims.isFor(rules.audience) else { throw .audienceWrong }
    }

    /// RFC 7519 §4.1.4.
    private func checkExpiry(_ claims: JSONObject, at now: Instant) throws(TokenFault) {
        let end = try claims.reading { object throws(ClaimError) in try object.moment("exp") }
        guard now < end + rules.tolerance else { throw .expired }
    }

    /// RFC 7519 §4.1.5.
    private func checkNotBefore(_ claims: JSONObject, at now: Instant) throws(TokenFault) {
        guard let start = try claims.reading({ object throws(ClaimError) in try object.optionalMoment("nbf") }) else { return }
        guard start <= now + rules.tolerance else { throw .notYetValid }
    }

    /// RFC 7519 §4.1.6: nobody makes a token in the future.
    private func checkIssuedAt(_ claims: JSONObject, at now: Instant) throws(TokenFault) {
        guard let issued = try claims.reading({ object throws(ClaimError) in try object.optionalMoment("iat") }) else { return }
        guard issued <= now + rules.tolerance else { throw .issuedLater }
    }

    /// RFC 9068 §2.2.
    private func checkRequired(_ claims: JSONObject) throws(TokenFault) {
        _ = try claims.reading { object throws(ClaimError) in try object.text("sub") }
        guard case .rfc9068 = rules.profile else { return }
        for name in ["client_id", "jti"] { _ = try claims.reading { object throws(ClaimError) in try object.text(name) } }
        _ = try claims.reading { object throws(ClaimError) in try object.moment("iat") }
    }
}
