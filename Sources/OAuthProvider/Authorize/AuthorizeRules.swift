import OstiaryProtocol
import OstiaryTokens

/// What an authorization request is checked against: its parameters, and what the store knows of the names in them.
package struct AuthorizeInput: Sendable {
    package let server: ServerID
    package let parameters: Parameters
    /// By `client_id`; nil if there is none of that name.
    package let application: Application?
    /// By `audience` or `resource`; nil if there is none of that name.
    package let api: ProtectedAPI?
    /// The request that was sent ahead, of which `parameters` are.
    package let pushed: PushedRequest?
    /// Of the proof with which a request was sent ahead.
    package let proofKey: Thumbprint?
    /// What came of `id_token_hint`.
    package let hint: Hint
    /// Whether the request is just being sent ahead, at the endpoint for that.
    package let isBeingPushed: Bool

    package enum Hint: Equatable, Sendable {
        case none
        /// `sub` of an ID token of this client's, which may be over.
        case subject(String)
        case wrong

        /// Verifies a signature, so it is asked outside every transaction.
        init(in parameters: Parameters, _ keys: TokenKeys) {
            guard let text = parameters["id_token_hint"] else {
                self = .none
                return
            }
            self = keys.subject(ofHint: text, from: parameters["client_id"] ?? "").map { .subject($0) } ?? .wrong
        }
    }

    package init(
        server: ServerID, parameters: Parameters, application: Application?, api: ProtectedAPI?, pushed: PushedRequest? = nil,
        proofKey: Thumbprint? = nil, hint: Hint = .none, isBeingPushed: Bool = false
    ) {
        self.server = server
        self.parameters = parameters
        self.application = application
        self.api = api
        self.pushed = pushed
        self.proofKey = proofKey
        self.hint = hint
        self.isBeingPushed = isBeingPushed
    }
}

/// One check of an authorization request: a function, where it is written, and whether its refusal is told to the client.
package struct AuthorizeRule: Sendable {
    package enum Answer: Sendable {
        /// To the person, on a page of ours: it is not sure where else (RFC 6749 §4.1.2.1).
        case page
        /// To the client, by redirect.
        case redirect
    }

    package let name: String
    package let section: String
    package let answer: Answer
}

/// The checks, in their order. A table of one line for each rule: its function has the same name.
package enum AuthorizeRules {
    /// Who asks, and where the answer goes.
    typealias AddresseeCheck = @Sendable (AuthorizeInput) throws(AuthorizeRefusal) -> Void
    /// What is asked.
    typealias RequestCheck = @Sendable (AuthorizeInput, Application, inout AskedFor) throws(AuthorizeRefusal) -> Void

    static let addressee: [(rule: AuthorizeRule, check: AddresseeCheck)] = [
        (AuthorizeRule(name: "checkClient", section: "RFC 6749 §4.1.2.1", answer: .page), checkClient),
        (AuthorizeRule(name: "checkPushedRequest", section: "RFC 9126 §4", answer: .page), checkPushedRequest),
        (AuthorizeRule(name: "checkRedirectURI", section: "RFC 9700 §2.1, RFC 8252 §7", answer: .page), checkRedirectURI),
    ]

    static let request: [(rule: AuthorizeRule, check: RequestCheck)] = [
        (AuthorizeRule(name: "checkRepetition", section: "RFC 6749 §3.1", answer: .redirect), checkRepetition),
        (AuthorizeRule(name: "checkLengths", section: "RFC 6749 §4.1.1", answer: .redirect), checkLengths),
        (AuthorizeRule(name: "checkRequestObject", section: "OpenID Connect Core §6", answer: .redirect), checkRequestObject),
        (AuthorizeRule(name: "checkPushing", section: "RFC 9126 §5", answer: .redirect), checkPushing),
        (AuthorizeRule(name: "checkResponseType", section: "RFC 6749 §3.1.1", answer: .redirect), checkResponseType),
        (
            AuthorizeRule(
                name: "checkResponseMode", section: "OAuth 2.0 Multiple Response Types §2.1, Form Post Response Mode §2", answer: .redirect),
            checkResponseMode
        ),
        (AuthorizeRule(name: "checkGrantType", section: "RFC 6749 §4.1.2.1", answer: .redirect), checkGrantType),
        (AuthorizeRule(name: "checkChallenge", section: "RFC 7636 §4.4.1, RFC 9700 §2.1.1", answer: .redirect), checkChallenge),
        (AuthorizeRule(name: "checkBoundKey", section: "RFC 9449 §10", answer: .redirect), checkBoundKey),
        (AuthorizeRule(name: "checkTarget", section: "RFC 8707 §2", answer: .redirect), checkTarget),
        (AuthorizeRule(name: "checkScope", section: "RFC 6749 §3.3", answer: .redirect), checkScope),
        (AuthorizeRule(name: "checkPrompt", section: "OpenID Connect Core §3.1.2.1", answer: .redirect), checkPrompt),
        (AuthorizeRule(name: "checkMaxAge", section: "OpenID Connect Core §3.1.2.1", answer: .redirect), checkMaxAge),
        (AuthorizeRule(name: "checkStrength", section: "OpenID Connect Core §3.1.2.1, RFC 9470 §4", answer: .redirect), checkStrength),
        (AuthorizeRule(name: "checkClaims", section: "OpenID Connect Core §5.5", answer: .redirect), checkClaims),
        (AuthorizeRule(name: "checkHint", section: "OpenID Connect Core §3.1.2.1", answer: .redirect), checkHint),
    ]

    package static var all: [AuthorizeRule] { addressee.map(\.rule) + request.map(\.rule) }
}

/// What the checks of a request have read so far.
struct AskedFor: Sendable {
    var nonce: String?
    var challenge: CodeChallenge?
    var boundKey: Thumbprint?
    var scopes: ScopeSet = []
    var prompts: Set<AuthorizationRequest.Prompt> = []
    var maxAge: UInt32?
    var strengths: [LoginStrength] = []
    var claims = AskedClaims.none
    var hinted: String?
}
