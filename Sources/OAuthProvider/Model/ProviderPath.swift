/// Where things are, below the issuer. The token endpoint has the path that the reference gives it (S3-30).
package enum ProviderPath: String, CaseIterable, Sendable {
    case authorization = "/authorize"
    case token = "/oauth/token"
    case pushedRequests = "/oauth/par"
    case deviceAuthorization = "/oauth/device/code"
    case backchannelAuthentication = "/oauth/bc-authorize"
    case introspection = "/oauth/introspect"
    case revocation = "/oauth/revoke"
    case userInfo = "/userinfo"
    /// What the provider says of itself (OpenID Connect Discovery §4); RFC 8414 has addresses of its own for the same text.
    case metadata = "/.well-known/openid-configuration"
    case keys = "/.well-known/jwks.json"
    case endSession = "/logout"
    /// Where a person types what a device shows (RFC 8628 §3.3).
    case verification = "/device"
    case registration = "/oauth/register"

    package func address(at issuer: String) -> String { issuer + rawValue }
}
