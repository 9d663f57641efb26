import Hummingbird

/// What the token service says of itself (RFC 8414 §2), by which a backend that has only its address finds all else.
struct ServiceMetadata: ResponseEncodable, Sendable {
    let issuer: String
    let tokenEndpoint: String
    let introspectionEndpoint: String
    let keys: String
    /// None: nothing comes by a browser here.
    let responseTypes: [String] = []
    let grantTypes = [TokenExchange.grantType]
    /// Apps show no secret: who calls follows from the webNonce.
    let authenticationOfApps = ["none"]
    let authenticationOfBackends = ["client_secret_basic"]
    let scopes: [String]

    enum CodingKeys: String, CodingKey {
        case issuer
        case tokenEndpoint = "token_endpoint"
        case introspectionEndpoint = "introspection_endpoint"
        case keys = "jwks_uri"
        case responseTypes = "response_types_supported"
        case grantTypes = "grant_types_supported"
        case authenticationOfApps = "token_endpoint_auth_methods_supported"
        case authenticationOfBackends = "introspection_endpoint_auth_methods_supported"
        case scopes = "scopes_supported"
    }

    init(_ settings: ServiceSettings) {
        issuer = settings.issuer
        tokenEndpoint = settings.issuer + "/token"
        introspectionEndpoint = settings.issuer + "/introspect"
        keys = settings.issuer + "/keys"
        scopes = Set(settings.backends.flatMap(\.scopes)).sorted()
    }
}

/// The public halves of its keys (RFC 7517 §5).
struct KeySet: ResponseEncodable, Sendable {
    let keys: [PublicSigningKey]
}
