import OstiaryProtocol
import OstiaryTokens

/// Tells whose a token is: a JWT by its signature, any other by asking, and a JWT by asking too where an API's developer chose that.
struct TokenVerifier: Sendable {
    /// Bytes that an opaque token may have.
    static let mostBytes = 4_096

    let rules: TokenRules
    let jwt: JWTCheck?
    let introspection: IntrospectionQuestion?
    /// Seconds for which an answer about an opaque token will do.
    let rememberedFor: UInt64
    /// The same of a JWT, beside its signature; nil where nobody is asked.
    let recheckedEvery: UInt64?

    /// - Parameter proof: the key of the proof that came with it; nil for a bearer token.
    func caller(of text: String, proof: Thumbprint?, at now: Instant) async throws(ResourceRefusal) -> VerifiedCaller {
        let (claims, evidence) = try await claims(of: text, at: now)
        do {
            try Self.checkPossession(claims, proof)
            return try VerifiedCaller(token: claims, by: rules, evidence, key: proof)
        } catch { throw .token(error) }
    }

    private func claims(of text: String, at now: Instant) async throws(ResourceRefusal) -> (JSONObject, VerifiedCaller.Evidence) {
        if let jwt, Self.looksSigned(text) {
            let claims = try await jwt.claims(of: text, at: now)
            if let recheckedEvery, let introspection { _ = try await introspection.claims(of: text, youngerThan: recheckedEvery, at: now) }
            return (claims, .jwt)
        }
        guard let introspection else { throw .token(jwt == nil ? .kindNotTaken : .notThreeParts) }
        try checkForm(text)
        let claims = try await introspection.claims(of: text, youngerThan: rememberedFor, at: now)
        return (claims, .introspection)
    }

    /// Three parts are a JWT, good or bad: one whose signature is wrong is not asked about.
    private static func looksSigned(_ text: String) -> Bool { text.utf8.count { $0 == UInt8(ascii: ".") } == 2 }

    /// RFC 6750 §2.1. Anything else is not carried any further.
    private func checkForm(_ text: String) throws(ResourceRefusal) {
        guard text.utf8.count <= (jwt == nil ? UnverifiedJWS.mostBytes : Self.mostBytes) else { throw .token(.tooLong) }
        let isToken = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "-._~+/=".utf8.contains(byte)
        }
        guard isToken else { throw .token(.badCharacter) }
    }

    /// RFC 9449 §7.1: what is bound to a key opens nothing without it, and what is not is no token of that scheme.
    private static func checkPossession(_ claims: JSONObject, _ proof: Thumbprint?) throws(TokenFault) {
        switch (try claims.boundKey(), proof) {
        case (nil, nil): break
        case (.some, nil): throw .proofMissing
        case (nil, .some): throw .proofUnexpected
        case (let bound?, let shown?):
            guard bound == shown else { throw .keyWrong }
        }
    }
}
