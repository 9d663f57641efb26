import OstiaryProtocol
import OstiaryTokens

/// Fresh values of one call, drawn before the transaction that uses them.
package struct MintedValues: Sendable {
    package let redemption: RedemptionID
    /// Names the grant that a call begins by itself.
    let grant: GrantID
    /// The part of a `jti` that no other has.
    let tokenNumber: String
    /// Becomes an access token, where an API wants them opaque.
    let opaqueToken: String

    init(for redemption: RedemptionID, using random: any RandomSource) {
        self.redemption = redemption
        grant = GrantID(using: random)
        tokenNumber = Base64URL.encode(random.bytes(12))
        opaqueToken = Base64URL.encode(random.bytes(32))
    }
}

/// What one call at the token endpoint gives, decided and written down; only the signatures are missing.
package struct Issuance: Sendable {
    package let accessToken: AccessToken
    package let claims: AccessTokenClaims
    package let refreshToken: RefreshToken?
    package let idToken: IDTokenClaims?
    /// The algorithm of the ID token is the client's.
    let idTokenAlgorithm: SignatureAlgorithm
    package let scopes: ScopeSet
    /// Seconds.
    package let life: UInt64
    /// `issued_token_type` of an exchange (RFC 8693 §2.2.1).
    package var issuedType: String?

    package enum AccessToken: Sendable {
        case jwt(SignatureAlgorithm)
        case opaque(String)
    }
}

/// Which grant a token hangs on can be read from its `jti`, so that no row is kept for a token.
package enum TokenNumber {
    static func text(_ number: String, on grant: GrantID?) -> String { "\(grant?.text ?? "client").\(number)" }

    package enum Holder: Equatable, Sendable {
        case grant(GrantID)
        /// A machine got it for itself.
        case client
    }

    /// Nil for what no token of ours has.
    package static func holder(of tokenID: String) -> Holder? {
        let parts = tokenID.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if parts[0] == "client" { return .client }
        return GrantID(text: String(parts[0])).map { .grant($0) }
    }
}
