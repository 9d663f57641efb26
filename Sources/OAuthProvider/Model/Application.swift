import OstiaryProtocol
import OstiaryTokens

/// A client of the provider (RFC 6749 §2), as an operator registered it.
package struct Application: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// On a person's device: keeps no secret (RFC 8252).
        case native
        /// A website with a backend.
        case web
        /// Nobody logs in there.
        case machine
    }

    package let id: ClientID
    package let server: ServerID
    package let kind: Kind
    /// For people, on the page and on the phone.
    package var name: String
    /// The origin of its site, which the phone shows beside the name.
    package var siteURL = ""
    /// The operator's own: what it asks for need not be granted by the person where an API allows that.
    package var isFirstParty = false
    package var isEnabled = true
    package var redirectURIs: [RedirectURI] = []
    package var postLogoutRedirectURIs: Set<String> = []
    package var backchannelLogoutURI: String?
    package var authentication: ClientAuthenticationMethod
    /// The newest first; an old one goes on until it expires.
    package var secrets: [ClientSecret] = []
    /// For `private_key_jwt`.
    package var keys = JWKSet([])
    package var grantTypes: Set<GrantType> = [.authorizationCode, .refreshToken]
    /// What it may ask of each API.
    package var apis: [APIIdentifier: ScopeSet] = [:]
    /// The APIs that it is the resource server of: it may introspect their tokens.
    package var serves: Set<APIIdentifier> = []
    package var requiresDPoP = false
    package var requiresPushedRequests = false
    /// Whether its assertions may be signed by RS256, which FAPI 2.0 refuses (§5.4).
    package var mayAssertByRS256 = true
    package var idTokenAlgorithm = SignatureAlgorithm.es256
    package var backchannel: BackchannelDelivery?
    package var refreshLife = RefreshLife.unlimited

    package init(id: ClientID, server: ServerID, kind: Kind, name: String, authentication: ClientAuthenticationMethod) {
        self.id = id
        self.server = server
        self.kind = kind
        self.name = name
        self.authentication = authentication
    }

    /// Whether it shows nothing by which it is known: whoever has its id can say that they are it.
    package var isPublic: Bool { authentication == .none }

    /// The registered address that one of a request is; nil if it is none of them.
    package func redirectURI(matching presented: String) -> RedirectURI? { redirectURIs.first { $0.isMatched(by: presented) } }
}

/// How a client shows at the token endpoint who it is (OpenID Connect Core §9).
package enum ClientAuthenticationMethod: String, CaseIterable, Sendable {
    case none
    case basic = "client_secret_basic"
    case post = "client_secret_post"
    case privateKeyJWT = "private_key_jwt"
}

/// The secret of a client, of which the hash is kept: it is drawn here, 32 random bytes, so a fast hash hides it.
package struct ClientSecret: Equatable, Sendable {
    /// SHA of the text.
    package let hash: [UInt8]
    /// Nil for no end.
    package let expiresAt: Instant?

    package init(hash: [UInt8], expiresAt: Instant?) {
        self.hash = hash
        self.expiresAt = expiresAt
    }

    package static func hash(of text: String) -> [UInt8] { SHA(text.utf8) }

    package func isOf(_ text: String, at now: Instant) -> Bool {
        // Compared first and in full: a secret that is over takes as long as a wrong one.
        let isEqual = matches(Self.hash(of: text), hash)
        return isEqual && expiresAt.map { now < $0 } ?? true
    }
}

/// The ways to a token, as `grant_type` names them.
package enum GrantType: String, CaseIterable, Sendable {
    case authorizationCode = "authorization_code"
    case refreshToken = "refresh_token"
    case clientCredentials = "client_credentials"
    /// RFC 8628.
    case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
    /// OpenID Connect CIBA.
    case backchannel = "urn:openid:params:grant-type:ciba"
    /// RFC 8693.
    case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
}

/// How a client hears that somebody decided (OpenID Connect CIBA §5). There is no push: it would send tokens to an address.
package enum BackchannelDelivery: Hashable, Sendable {
    case poll
    /// To this address, and then the client asks.
    case ping(String)
}

/// For how long a refresh token is good; nil for no end, which is the default (S3-45).
package struct RefreshLife: Hashable, Sendable {
    package static let unlimited = RefreshLife(absolute: nil, idle: nil)

    /// Seconds since the first; no renewal moves it.
    package let absolute: UInt64?
    /// Seconds since it was last used.
    package let idle: UInt64?

    package init(absolute: UInt64?, idle: UInt64?) {
        self.absolute = absolute
        self.idle = idle
    }
}
