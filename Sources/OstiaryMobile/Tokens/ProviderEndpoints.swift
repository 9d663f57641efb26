import Foundation
import OstiaryTokens

/// What an app needs of what a provider says of itself (OpenID Connect Discovery §3, RFC 8414 §2).
struct ProviderEndpoints: Sendable {
    let authorization: URL
    let token: URL
    let keys: URL
    let revocation: URL?
    let endSession: URL?
    /// Whether each of its answers to a browser says who it is (RFC 9207 §3).
    let namesItself: Bool
    /// Those that ID tokens may be signed by.
    let algorithms: Set<SignatureAlgorithm>

    /// - Throws: `metadata`, with what is wrong or missing; `serverAnswer` for what is no JSON object.
    init(_ bytes: [UInt8], for settings: TokenSettings) throws(TokenError) {
        guard let object = try? JSONReader.object(bytes) else { throw .serverAnswer }
        guard let named = object["issuer"]?.string, isSame(named, settings.issuer) else { throw .metadata(.issuer) }
        // An issuer elsewhere sends nobody to a port of this machine.
        let mayBePlain = settings.issuer.lowercased().hasPrefix("http://")
        let address = { (name: String) -> URL? in
            guard let url = object[name]?.string.flatMap({ URL(string: $0) }), ServerAddress.isAllowed(url) else { return nil }
            return mayBePlain || url.scheme?.lowercased() == "https" ? url : nil
        }
        guard let authorization = address("authorization_endpoint"), let token = address("token_endpoint"), let keys = address("jwks_uri") else {
            throw .metadata(.endpoint)
        }
        (self.authorization, self.token, self.keys) = (authorization, token, keys)
        revocation = address("revocation_endpoint")
        endSession = address("end_session_endpoint")
        namesItself = object["authorization_response_iss_parameter_supported"]?.bool ?? false
        // RS256 where nothing is said: Discovery has every provider know it.
        algorithms = Set((object["id_token_signing_alg_values_supported"]?.strings ?? ["RS256"]).compactMap(SignatureAlgorithm.init(rawValue:)))
        guard object["code_challenge_methods_supported"]?.strings?.contains("S256") == true else { throw .metadata(.pkce) }
        guard !settings.bindsToDevice || object["dpop_signing_alg_values_supported"]?.strings?.contains("ES256") == true else {
            throw .metadata(.dpop)
        }
    }

    /// Where that is said: behind the issuer.
    static func address(of settings: TokenSettings) throws(TokenError) -> URL {
        guard let url = URL(string: settings.issuer + "/.well-known/openid-configuration") else { throw .settings(.issuer) }
        return url
    }
}
