import Foundation
import OstiaryProtocol

/// What an app says of itself and of its provider, once: the client as the operator registered it, and what it asks for.
public struct TokenSettings: Sendable, Hashable {
    /// Of the provider, to the byte: `https://login.example`. Its metadata says everything else.
    public var issuer: String
    /// By which the operator registered the app, without a secret: an app can keep none (RFC 8252 §8.4).
    public var clientID: String
    /// The API that tokens are for, by its identifier; nil for tokens that are good at the provider's userinfo only.
    public var audience: String?
    /// What is asked for, separated by spaces. `openid` brings the profile's subject, `profile` and `email` the rest of it, `offline_access` a login that
    /// lasts.
    public var scope: String
    /// By which the browser comes back, as it is registered, without a query; nil for an app that only exchanges the webNonce of its AppLogin.
    public var redirectURL: URL?
    /// Where the browser goes after a logout, as it is registered; nil for the provider's own page. It has to be one by which the browser comes back.
    public var postLogoutRedirectURL: URL?
    /// Whether tokens are bound to a key of this device (RFC 9449): whoever copies one has nothing, and the refresh token never changes, so that no lost
    /// answer and no crash can end a login. An API then gets `DPoP` where it got `Bearer`. Off for an API that takes nothing but `Bearer`.
    public var bindsToDevice = true
    /// How long a call goes on trying to reach the provider before it throws `serverConnection`; zero tries once. A try that has begun has 15 seconds more.
    public var patience = Duration.seconds(30)
    /// How long before its end an access token is renewed, so that it lasts for a call.
    public var renewsBefore = Duration.seconds(30)

    public init(
        issuer: String, clientID: String, audience: String? = nil, scope: String = "openid profile email offline_access", redirectURL: URL? = nil
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.audience = audience
        self.scope = scope
        self.redirectURL = redirectURL
    }
}

extension TokenSettings {
    /// What tells the login of one client, and one API, from another's in one store.
    var login: String { [issuer, clientID, audience ?? ""].map { PercentEscape.text($0) }.joined(separator: " ") }

    var scopes: Set<String> { TokenScope.parts(scope) }

    /// - Throws: `settings` for what no provider and no client can be.
    func check() throws(TokenError) {
        guard let url = URL(string: issuer), ServerAddress.isAllowed(url), url.query == nil, url.fragment == nil, !issuer.hasSuffix("/") else {
            throw .settings(.issuer)
        }
        guard !clientID.isEmpty else { throw .settings(.clientID) }
        guard !scopes.isEmpty else { throw .settings(.scope) }
    }

    /// The address by which a browser comes back.
    func checkedRedirectURL() throws(TokenError) -> URL {
        guard let redirectURL, redirectURL.scheme != nil, redirectURL.query == nil, redirectURL.fragment == nil else { throw .settings(.redirectURL) }
        return redirectURL
    }
}

/// A scope as OAuth writes it: names between spaces (RFC 6749 §3.3).
enum TokenScope {
    static func parts(_ text: String) -> Set<String> { Set(text.split(separator: " ").map(String.init)) }
}
