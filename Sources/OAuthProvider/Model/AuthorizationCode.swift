import OstiaryProtocol
import OstiaryTokens

/// What a client exchanges for tokens, once (RFC 6749 §4.1.2). Kept as a hash.
package struct AuthorizationCode: Equatable, Sendable {
    /// Seconds for which one is good.
    package static let life: UInt64 = 60

    /// SHA of the text.
    package let hash: [UInt8]
    package let server: ServerID
    package let client: ClientID
    package let grant: GrantID
    /// As it stood in the request; nil where that left it to the registration.
    package let redirectURI: String?
    package let challenge: CodeChallenge
    /// The key that the request named (RFC 9449 §10); nil for none.
    package let boundKey: Thumbprint?
    package let expiresAt: Instant
    /// The call that spent it, whatever came of that.
    package var redeemedBy: RedemptionID?

    package init(
        hash: [UInt8], server: ServerID, client: ClientID, grant: GrantID, redirectURI: String?, challenge: CodeChallenge, boundKey: Thumbprint?,
        expiresAt: Instant, redeemedBy: RedemptionID? = nil
    ) {
        self.hash = hash
        self.server = server
        self.client = client
        self.grant = grant
        self.redirectURI = redirectURI
        self.challenge = challenge
        self.boundKey = boundKey
        self.expiresAt = expiresAt
        self.redeemedBy = redeemedBy
    }

    package static func hash(of text: String) -> [UInt8] { SHA(text.utf8) }
}
