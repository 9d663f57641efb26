import OstiaryTokens

/// Why an authorization request goes no further.
package enum AuthorizeRefusal: Error, Equatable, Sendable {
    // Told on a page, never by redirect: who asks, or where to answer, is not sure.
    case clientMissing, clientUnknown, clientDisabled
    case redirectMissing, redirectNotRegistered
    case requestURIUnknown, requestURIOfAnother, requestURISpent, requestURIExpired
    // Told to the client.
    case parameterRepeated(String)
    case parameterTooLong(String)
    case parameterWrong(String)
    case pushedRequestNeeded
    case requestObject, foreignRequestURI
    case responseTypeMissing, responseTypeUnsupported, responseModeUnsupported
    case grantTypeNotAllowed
    case challengeMissing, challengeMethodWrong
    case challenge(PKCEError)
    case boundKeyWrong
    case scope(ScopeError)
    case nothingToGrant
    case targetUnknown
    case promptUnknown, promptNoneWithOthers, maxAgeWrong, claimsWrong, hintWrong
    // What comes of it later.
    case loginRequired, consentRequired, interactionRequired
    case requirementsUnmet
    case denied, loginFailed

    package var code: OAuthErrorCode {
        switch self {
        case .clientMissing, .clientUnknown, .clientDisabled, .redirectMissing, .redirectNotRegistered, .parameterRepeated, .parameterTooLong,
            .parameterWrong, .pushedRequestNeeded, .responseTypeMissing, .responseModeUnsupported, .challengeMissing, .challengeMethodWrong,
            .challenge,
            .boundKeyWrong, .promptUnknown, .promptNoneWithOthers, .maxAgeWrong, .claimsWrong, .hintWrong:
            .invalidRequest
        case .requestURIUnknown, .requestURIOfAnother, .requestURISpent, .requestURIExpired: .invalidRequestURI
        case .requestObject: .requestNotSupported
        case .foreignRequestURI: .requestURINotSupported
        case .responseTypeUnsupported: .unsupportedResponseType
        case .grantTypeNotAllowed: .unauthorizedClient
        case .scope, .nothingToGrant: .invalidScope
        case .targetUnknown: .invalidTarget
        case .loginRequired: .loginRequired
        case .consentRequired: .consentRequired
        case .interactionRequired: .interactionRequired
        case .requirementsUnmet: .unmetAuthenticationRequirements
        case .denied, .loginFailed: .accessDenied
        }
    }

    package var description: String {
        switch self {
        case .clientMissing: "client_id is missing"
        case .clientUnknown, .clientDisabled: "there is no such client"
        case .redirectMissing: "redirect_uri is missing"
        case .redirectNotRegistered: "redirect_uri is not registered for this client"
        case .requestURIUnknown, .requestURIOfAnother, .requestURISpent, .requestURIExpired: "request_uri is not valid, or is over"
        case .parameterRepeated(let name): "\(name) came twice"
        case .parameterTooLong(let name): "\(name) is too long"
        case .parameterWrong(let name): "\(name) is not what it should be"
        case .pushedRequestNeeded: "this client sends its requests ahead"
        case .requestObject: "request is not supported"
        case .foreignRequestURI: "request_uri is only for requests that were sent ahead"
        case .responseTypeMissing: "response_type is missing"
        case .responseTypeUnsupported: "response_type can only be code"
        case .responseModeUnsupported: "response_mode can only be query, or form_post to a website"
        case .grantTypeNotAllowed: "the client may not use authorization codes"
        case .challengeMissing: "code_challenge is missing: send PKCE (RFC 7636) with S256, for which libraries have a setting"
        case .challengeMethodWrong: "code_challenge_method can only be S256"
        case .challenge: "code_challenge is not a SHA-256 in base64url"
        case .boundKeyWrong: "dpop_jkt is not the thumbprint of the key of the proof"
        case .scope: "scope is not a list of scopes"
        case .nothingToGrant: "nothing of the scope may be granted to this client"
        case .targetUnknown: "there is no such audience or resource for this client"
        case .promptUnknown: "prompt has an unknown word"
        case .promptNoneWithOthers: "prompt none stands alone"
        case .maxAgeWrong: "max_age is a number of seconds"
        case .claimsWrong: "claims is not a claims request"
        case .hintWrong: "id_token_hint is not an ID token of this provider"
        case .loginRequired: "nobody is logged in"
        case .consentRequired: "the person has not consented"
        case .interactionRequired: "the person has to be asked"
        case .requirementsUnmet: "nobody logged in as strongly as asked"
        case .denied: "the person said no"
        case .loginFailed: "nobody logged in"
        }
    }
}

extension AuthorizeRefusal {
    /// Whether it says what a person did, or was not there to do, and nothing is wrong with the request.
    package var isAnswer: Bool {
        switch self {
        case .loginRequired, .consentRequired, .interactionRequired, .requirementsUnmet, .denied, .loginFailed: true
        default: false
        }
    }

    /// For the log of an operator: `challengeMissing`. The name of a parameter may be whatever its sender made it, and is left out.
    package var reason: String {
        switch self {
        case .parameterRepeated: "parameterRepeated"
        case .parameterTooLong: "parameterTooLong"
        case .parameterWrong: "parameterWrong"
        default: TokenRefusal.word(self)
        }
    }
}
