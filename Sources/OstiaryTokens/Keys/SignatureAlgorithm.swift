/// The algorithms that tokens are signed with (RFC 7518 §3.1, RFC 8037). What is not here is not known: `none` and the algorithms of shared secrets
/// least of all.
package enum SignatureAlgorithm: String, CaseIterable, Sendable {
    /// ECDSA on P-256: what secure hardware of phones has.
    case es256 = "ES256"
    /// Ed25519.
    case edDSA = "EdDSA"
    /// RSA with PKCS #1 v1.5, which OpenID Connect Discovery §3 requires of every provider.
    case rs256 = "RS256"
}
