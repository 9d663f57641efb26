import Crypto
import Foundation
import OstiaryResource

/// What the token service is told: who it is, whom it asks, and for which backends it makes tokens.
struct ServiceSettings: Sendable {
    /// `iss` of its tokens, and where everybody finds it: https, with no path and no slash at its end.
    let issuer: String
    /// The first signs. All are published, so that a key is known before it signs, and while tokens by it are about.
    let keys: [SigningKey]
    let backends: [ServedBackend]
    /// Seconds for which a token is good.
    let lifetime: Int
    /// Tokens of one person that may be about.
    let tokensEach: Int
    /// `client_id` of the app whose people come here.
    let appID: String
    let webNonce: WebNonceSettings

    init(_ variables: Variables, port: Int) throws {
        issuer = variables.optional("ISSUER") ?? "https://127.0.0.1:\(port)"
        guard issuer.hasPrefix("https://"), !issuer.dropFirst("https://".count).contains("/") else {
            throw Variables.Wrong(name: "ISSUER", why: "is https, without a path")
        }
        keys = try variables.list("SIGNING_KEYS").map { path in
            do { return try SigningKey(pem: try String(contentsOfFile: path, encoding: .utf8)) } catch {
                throw Variables.Wrong(name: "SIGNING_KEYS", why: "names a file that is no PEM of a P-256 key: \(path)")
            }
        }
        backends = try variables.file("BACKENDS") { try JSONDecoder().decode([ServedBackend].self, from: Data(contentsOf: URL(filePath: $0))) }
        guard !keys.isEmpty, !backends.isEmpty else { throw Variables.Wrong(name: keys.isEmpty ? "SIGNING_KEYS" : "BACKENDS") }
        lifetime = try variables.number("TOKEN_SECONDS", or: 300)
        tokensEach = try variables.number("TOKENS_EACH", or: 100)
        appID = variables.optional("APP_ID") ?? "app"
        webNonce = WebNonceSettings(
            restAddress: try variables.text("REST_ADDRESS"), server: try variables.text("SERVER_ID"), apiKey: try variables.text("API_KEY"))
    }
}

/// A backend that tokens are made for. Its secret is not kept, only the hash.
struct ServedBackend: Decodable, Sendable {
    /// `aud` of its tokens.
    let audience: String
    /// What an app may be let do there.
    let scopes: [String]
    /// By what it shows who it is when it asks about a token.
    let clientID: String
    private let secretHash: SHA256Digest

    enum CodingKeys: String, CodingKey {
        case audience, scopes
        case clientID = "client_id"
        case clientSecret = "client_secret"
    }

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        audience = try object.decode(String.self, forKey: .audience)
        scopes = try object.decode([String].self, forKey: .scopes)
        clientID = try object.decode(String.self, forKey: .clientID)
        secretHash = SHA256.hash(data: Data(try object.decode(String.self, forKey: .clientSecret).utf8))
    }

    /// Digests are compared in constant time.
    func isSecret(_ text: String) -> Bool { SHA256.hash(data: Data(text.utf8)) == secretHash }
}
