/// What an app asks for (RFC 8693 §2.1), as it came. The webNonce is not in it: it travels in a header field.
struct TokenForm: Decodable, Sendable {
    var grantType: String?
    var audience: String?
    var scope: String?
    var requestedTokenType: String?
    var subjectToken: String?

    enum CodingKeys: String, CodingKey {
        case grantType = "grant_type"
        case audience, scope
        case requestedTokenType = "requested_token_type"
        case subjectToken = "subject_token"
    }
}

/// What an app will get.
struct TokenOrder: Sendable {
    let backend: ServedBackend
    /// In the order in which they were asked for.
    let scopes: [String]
}

/// The names of RFC 8693 (§2.1, §3).
enum TokenExchange {
    static let grantType = "urn:ietf:params:oauth:grant-type:token-exchange"
    static let accessToken = "urn:ietf:params:oauth:token-type:access_token"
    static let jwt = "urn:ietf:params:oauth:token-type:jwt"
}

extension TokenForm {
    /// A token is for one backend, and for no more there than was asked; everything that it has is asked for by leaving `scope` out.
    ///
    /// No `code_verifier` is looked for: nothing came through another app that could have read it (docs/acceptance.md, S0-18).
    func order(among backends: [ServedBackend]) throws(TokenRefusal) -> TokenOrder {
        guard let grantType = grantType.said, subjectToken.said == nil else { throw .invalidRequest }
        guard grantType == TokenExchange.grantType else { throw .unsupportedGrantType }
        guard [nil, TokenExchange.accessToken, TokenExchange.jwt].contains(requestedTokenType.said) else { throw .invalidRequest }
        guard let audience = audience.said else { throw .invalidRequest }
        guard let backend = backends.first(where: { $0.audience == audience }) else { throw .invalidTarget }
        let scopes = scope.said.map { $0.split(separator: " ").map(String.init) } ?? backend.scopes
        guard !scopes.isEmpty, scopes.allSatisfy(backend.scopes.contains) else { throw .invalidScope }
        return TokenOrder(backend: backend, scopes: scopes)
    }
}

extension String? {
    /// A parameter without a value is left out (RFC 6749 §3.2).
    fileprivate var said: String? { flatMap { $0.isEmpty ? nil : $0 } }
}
