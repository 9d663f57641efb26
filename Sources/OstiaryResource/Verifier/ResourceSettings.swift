/// What an API takes, and of whom.
public struct ResourceSettings: Sendable {
    /// Under which scheme, host and port callers know this API, with the path before its routes if a proxy takes one away: `https://api.example.com`. Proofs
    /// of possession are made for it. It is a setting, because what `Host` says, a caller chose.
    public var base: String
    /// In `WWW-Authenticate`.
    public var realm = "api"
    /// Tokens of a provider; nil for none.
    public var provider: ProviderSettings?
    /// webNonces of Ostiary's AppLogin; nil for none.
    public var webNonce: WebNonceSettings?
    /// Seconds by which the clocks of this API and of the provider may differ, at most 60. Tokens are good for as long after their end, and before their
    /// beginning. Proofs of possession may be a minute old or ahead in any case.
    public var clockTolerance: UInt64 = 10
    public var proofs = ProofSettings()

    public init(base: String, provider: ProviderSettings? = nil, webNonce: WebNonceSettings? = nil) {
        self.base = base
        self.provider = provider
        self.webNonce = webNonce
    }
}

/// The provider whose tokens are taken: Ostiary, or anybody's (RFC 6749).
public struct ProviderSettings: Sendable {
    /// As tokens and metadata have it, byte for byte: a slash at its end is another issuer.
    public var issuer: String
    /// The identifier of this API, which tokens for it have in `aud`.
    public var audience: String
    /// JWTs, verified here; nil for none: then every token is asked about.
    public var jwt: JWTSettings? = JWTSettings()
    /// Asking about tokens; nil for none: then opaque tokens are refused.
    public var introspection: IntrospectionSettings?
    /// The claim with the person's permissions, a list of strings.
    public var permissionsClaim = "permissions"

    public init(issuer: String, audience: String, jwt: JWTSettings? = JWTSettings(), introspection: IntrospectionSettings? = nil) {
        self.issuer = issuer
        self.audience = audience
        self.jwt = jwt
        self.introspection = introspection
    }
}

/// How JWTs are verified.
public struct JWTSettings: Sendable {
    /// Where the provider's keys are.
    public enum Keys: Sendable {
        /// `jwks_uri` of the issuer's metadata (OpenID Connect Discovery, then RFC 8414).
        case discovered
        case address(String)
        /// A set of keys (RFC 7517 §5) that is there for good, as JSON; nothing is fetched.
        case fixed([UInt8])
    }

    public var profile = TokenProfile.rfc9068
    /// Those that the provider uses for this API; the fewer the better.
    public var algorithms = Set(TokenAlgorithm.allCases)
    public var keys = Keys.discovered
    /// After how many seconds the provider is asked whether a JWT is still good, which needs ``ProviderSettings/introspection``; 0 each time. Nil never asks:
    /// a stop, a logout or a revocation is seen when the token is over, five minutes after it was made if it is Ostiary's and hangs on a login.
    public var recheckedEvery: UInt64?

    public init() {}
}

/// How the provider is asked about tokens (RFC 7662). A secret that is set prints as ‹secret›.
public struct IntrospectionSettings: Sendable {
    /// By what this API shows who it is.
    enum Credential: Sendable {
        case secret(String)
        case key(ClientKey)
    }

    public var clientID: String
    let credential: Credential
    /// `aud` of the assertions that a ``ClientKey`` signs: the issuer if nil. Some providers want the address of their token endpoint there.
    public var assertionAudience: String?
    /// `introspection_endpoint` of the issuer's metadata if nil.
    public var address: String?
    /// Seconds for which the provider's yes to an opaque token is remembered. 0, as it is, asks each time, and a stop is seen at once; otherwise a token that
    /// was stopped goes on for as long.
    public var rememberedFor: UInt64 = 0
    /// Whether an answer may lack `aud`, from providers that tell none. Then every token of the provider opens this API, whomever it was meant for, as long
    /// as the answer says `token_type` `Bearer` or `DPoP`.
    public var mayLackAudience = false

    /// - Parameters:
    ///   - clientID: the name of this API at the provider.
    ///   - clientSecret: by `client_secret_basic` (RFC 6749 §2.3.1).
    ///   - address: where is asked; nil for what the metadata says.
    public init(clientID: String, clientSecret: String, address: String? = nil) {
        self.clientID = clientID
        credential = .secret(clientSecret)
        self.address = address
    }

    /// - Parameters:
    ///   - clientID: the name of this API at the provider.
    ///   - key: by `private_key_jwt` (RFC 7523 §2.2): an assertion for each question, good for a minute. ``assertionAudience`` says for whom.
    ///   - address: where is asked; nil for what the metadata says.
    public init(clientID: String, key: ClientKey, address: String? = nil) {
        self.clientID = clientID
        credential = .key(key)
        self.address = address
    }
}

extension IntrospectionSettings: CustomStringConvertible, CustomReflectable {
    public var description: String { "IntrospectionSettings \(clientID) ‹secret›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// How Ostiary is asked who is logged in with a webNonce (docs/rest-api.md, getSession).
public struct WebNonceSettings: Sendable {
    /// The private listener of the authentication server: `http://127.0.0.1:8081`.
    public var restAddress: String
    /// The id of the virtual server.
    public var server: String
    let apiKey: String
    /// The header field in which apps send it.
    public var field = "X-webNonce"
    /// What everybody who is logged in may do: a webNonce says who it is, and nothing of scopes.
    public var scopes: Set<String> = []
    /// Seconds for which a yes is remembered. 0, as it is, asks each time, and a logout or a stop is seen at once; otherwise who was stopped goes on for as long.
    public var rememberedFor: UInt64 = 0
    /// Whether plain HTTP may go to another machine: in a network that nobody else is in.
    public var plainHTTP = false

    public init(restAddress: String, server: String, apiKey: String) {
        self.restAddress = restAddress
        self.server = server
        self.apiKey = apiKey
    }
}

extension WebNonceSettings: CustomStringConvertible, CustomReflectable {
    public var description: String { "WebNonceSettings \(restAddress) \(server) ‹secret›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// How proofs of possession are taken (RFC 9449).
public struct ProofSettings: Sendable {
    /// Whether a proof needs a nonce of this API's (§9), so that none can be made far ahead.
    public var needNonce = false
    let nonceKey: [UInt8]?
    /// Where those that were taken are remembered.
    public var spent: any SpentProofs = ProofMemory()

    /// - Parameter nonceKey: 32 random bytes that nonces are made by, the same in every process of this API; nil draws some, for one process.
    public init(nonceKey: [UInt8]? = nil) { self.nonceKey = nonceKey }
}

extension ProofSettings: CustomStringConvertible, CustomReflectable {
    public var description: String { "ProofSettings ‹secret›" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What is wrong with settings, told when a verifier is made.
public enum ResourceSettingsError: Error, Equatable, Sendable {
    /// None that is called: https, or http to this machine; with a host and a port, without a name, a password and a fragment; an issuer and a base also
    /// without a query.
    case address(String)
    /// Neither tokens nor webNonces, or tokens that are neither verified here nor asked about.
    case nothingTaken
    case audienceEmpty
    case algorithmsEmpty
    /// They are no JWK Set, or one without a key that is known here.
    case keysWrong
    /// ``JWTSettings/recheckedEvery`` without ``ProviderSettings/introspection``.
    case recheckNeedsIntrospection
    /// More than 60 seconds.
    case toleranceTooLong
    /// Not 32 bytes.
    case nonceKeyWrong
    /// ``WebNonceSettings/field`` is no name of a header field of its own, or the id of the server is none.
    case nameWrong(String)
    /// A ``ClientKey`` that is none: another kind or size, a public or an encrypted one, no PEM.
    case clientKeyWrong
    /// An API key that no header field can carry.
    case apiKeyWrong
}
