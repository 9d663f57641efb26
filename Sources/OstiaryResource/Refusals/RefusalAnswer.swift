import OstiaryTokens

/// What a caller hears who is not let in: one of a few answers, whatever the reason was (RFC 6750 §3.1, RFC 9449 §7.1, RFC 9470 §3).
public struct RefusalAnswer: Hashable, Sendable {
    /// A header field; its name in the spelling of its RFC.
    public struct Field: Hashable, Sendable {
        public let name: String
        public let value: String
    }

    /// The one text for whatever is wrong with a token.
    public static let badToken = "Missing or invalid token"

    public let status: Int
    /// `WWW-Authenticate`, `Cache-Control` and what else belongs to it, in order; a name may be there twice.
    public let fields: [Field]
    /// `error` of the body; nil where nobody tried, of whom nothing is said to be wrong.
    public let error: String?
    /// `error_description` of the body.
    public let text: String

    private init(status: Int, fields: [Field], error: String?, text: String) {
        self.status = status
        self.fields = fields
        self.error = error
        self.text = text
    }

    /// The body, JSON: `{"error":"invalid_token","error_description":"Missing or invalid token"}`. To be sent as `application/json`.
    public var body: [UInt8] {
        JSONObject(["error": error.map { .string($0) }, "error_description": .string(text)]).encoded
    }
}

/// By which scheme somebody tried to come in.
enum CredentialScheme: Hashable, Sendable {
    case bearer, dpop, webNonce
}

/// What every answer of an API needs to know.
struct AnswerContext: Sendable {
    let realm: String
    /// What this API takes.
    let ways: [CredentialScheme]
    /// Nil where nobody tried.
    let scheme: CredentialScheme?
    /// For a proof that has none that is good.
    let nonce: String?
}

extension RefusalAnswer {
    /// The table of answers. Each new reason has to be given a voice here before it compiles.
    init(to refusal: ResourceRefusal, _ context: AnswerContext) {
        switch refusal {
        case .noCredential: self.init(401, nil, Self.badToken, context)
        case .badRequest: self.init(400, "invalid_request", Self.badToken, context)
        case .token(.proofMissing):
            // The token is of the other scheme, so that is the one to ask by (RFC 9449 §7.1).
            self.init(401, "invalid_token", Self.badToken, AnswerContext(asking: .dpop, like: context))
        case .token: self.init(401, "invalid_token", Self.badToken, context)
        case .proof(.nonceNeeded):
            self.init(401, "use_dpop_nonce", "the proof needs the nonce of DPoP-Nonce", context)
        case .proof: self.init(401, "invalid_dpop_proof", Self.badToken, context)
        case .forbidden(let missing):
            let scope = missing.scopes.isEmpty ? [] : [("scope", missing.scopes.sorted().joined(separator: " "))]
            self.init(403, "insufficient_scope", "Forbidden", context, scope)
        case .stepUp(let wanted):
            var parameters: [(String, String)] = []
            if !wanted.acrValues.isEmpty { parameters.append(("acr_values", wanted.acrValues.joined(separator: " "))) }
            if let age = wanted.maxAge { parameters.append(("max_age", "\(age)")) }
            self.init(401, "insufficient_user_authentication", "a stronger or more recent login is needed", context, parameters)
        case .outage:
            self.init(status: 503, fields: [Field(name: "Retry-After", value: "2"), Self.unkept], error: "temporarily_unavailable", text: Self.later)
        }
    }

    private static let later = "try again in a moment"
    private static let unkept = Field(name: "Cache-Control", value: "no-store")

    private init(_ status: Int, _ error: String?, _ text: String, _ context: AnswerContext, _ parameters: [(String, String)] = []) {
        let said = error.map { [("error", $0), ("error_description", text)] } ?? []
        var fields = context.schemes.map { scheme in
            Field(name: "WWW-Authenticate", value: Self.challenge(scheme, context.realm, said + parameters))
        }
        if error == "use_dpop_nonce", let nonce = context.nonce { fields.append(Field(name: "DPoP-Nonce", value: nonce)) }
        self.init(status: status, fields: fields + [Self.unkept], error: error, text: text)
    }

    private static func challenge(_ scheme: CredentialScheme, _ realm: String, _ parameters: [(String, String)]) -> String {
        var all = [("realm", realm)] + parameters
        let name: String
        switch scheme {
        case .bearer: name = "Bearer"
        case .dpop:
            name = "DPoP"
            all.append(("algs", UnverifiedDPoPProof.algorithms.map(\.rawValue).sorted().joined(separator: " ")))
        case .webNonce: name = "WebNonce"
        }
        return "\(name) " + all.map { "\($0.0)=\(quoted($0.1))" }.joined(separator: ", ")
    }

    /// A quoted-string (RFC 9110 §5.6.4), of printable ASCII whatever was asked for.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars where (0x20...0x7E).contains(scalar.value) {
            if scalar == "\"" || scalar == "\\" { result.append("\\") }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}

extension AnswerContext {
    fileprivate init(asking scheme: CredentialScheme, like other: AnswerContext) {
        self.init(realm: other.realm, ways: other.ways, scheme: scheme, nonce: other.nonce)
    }

    /// By which schemes a caller is asked: the one that they tried, or where they tried none, all that they may.
    fileprivate var schemes: [CredentialScheme] { scheme.map { [$0] } ?? ways }
}
