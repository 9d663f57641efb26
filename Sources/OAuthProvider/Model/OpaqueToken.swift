import OstiaryProtocol
import OstiaryTokens

/// An access token that says nothing by itself (per API). Kept as a hash.
package struct OpaqueToken: Equatable, Sendable {
    /// SHA of the text.
    package let hash: [UInt8]
    package let claims: AccessTokenClaims
    /// Nil for a token that a machine got for itself.
    package let grant: GrantID?

    package init(hash: [UInt8], claims: AccessTokenClaims, grant: GrantID?) {
        self.hash = hash
        self.claims = claims
        self.grant = grant
    }
}
