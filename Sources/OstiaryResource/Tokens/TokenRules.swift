import OstiaryTokens

/// What a JWT has to be: a form of access token that providers give out.
public enum TokenProfile: Sendable {
    /// RFC 9068, to the letter: `typ` is `at+jwt`, and `iss`, `sub`, `aud`, `exp`, `iat`, `jti` and `client_id` are there. Ostiary's are.
    case rfc9068
    /// For providers without it: `typ` may be `JWT` or missing, and `iat`, `jti` and `client_id` too; `azp` stands for `client_id`, `scp` for `scope`, and
    /// either may be a list. What has the marks of an ID token or a logout token is refused. Use it only where the API's identifier is the client id of
    /// no application: an ID token without those marks is told apart by its audience alone.
    case plain
}

/// The algorithms that tokens are signed with. `none` and the algorithms of shared secrets are not among them.
public enum TokenAlgorithm: String, CaseIterable, Sendable {
    /// ECDSA on P-256.
    case es256 = "ES256"
    /// Ed25519.
    case edDSA = "EdDSA"
    /// RSA of 2048 to 4096 bits with PKCS #1 v1.5.
    case rs256 = "RS256"

    var signature: SignatureAlgorithm {
        switch self {
        case .es256: .es256
        case .edDSA: .edDSA
        case .rs256: .rs256
        }
    }
}

/// What is asked of an access token of one provider at one API.
struct TokenRules: Sendable {
    /// As tokens have it, byte for byte.
    let issuer: String
    /// The identifier of the API, of which one of the token's audiences has to be a copy.
    let audience: String
    let algorithms: Set<SignatureAlgorithm>
    let profile: TokenProfile
    /// Seconds by which clocks may differ.
    let tolerance: UInt64
    /// The claim with the person's permissions.
    let permissionsClaim: String

    var type: TokenType {
        switch profile {
        case .rfc9068: .accessToken
        case .plain: .plainAccessToken
        }
    }
}
