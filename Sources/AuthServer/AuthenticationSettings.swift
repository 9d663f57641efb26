import HTTPService

/// What the operator decides about an authentication server, parsed and checked.
package struct AuthenticationSettings: Sendable {
    package let publicURL: PublicURL
    package let apiKey: SecretText
    /// Hash of the second-factor server's root, 32 bytes.
    package let secondFactorIdentity: [UInt8]
    /// Name of the default virtual server: given at its making, and again whenever the operator sets another.
    package let serverName: String?
    package let serverLogo: [UInt8]?

    package init(publicURL: PublicURL, apiKey: SecretText, secondFactorIdentity: [UInt8], serverName: String? = nil, serverLogo: [UInt8]? = nil) {
        self.publicURL = publicURL
        self.apiKey = apiKey
        self.secondFactorIdentity = secondFactorIdentity
        self.serverName = serverName
        self.serverLogo = serverLogo
    }
}
