/// The words by which OAuth and OpenID Connect name what went wrong.
package enum OAuthErrorCode: String, CaseIterable, Sendable {
    // RFC 6749 §4.1.2.1, §5.2.
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    case invalidGrant = "invalid_grant"
    case unauthorizedClient = "unauthorized_client"
    case unsupportedGrantType = "unsupported_grant_type"
    case unsupportedResponseType = "unsupported_response_type"
    case invalidScope = "invalid_scope"
    case accessDenied = "access_denied"
    case serverError = "server_error"
    case temporarilyUnavailable = "temporarily_unavailable"
    // RFC 8707 §2.
    case invalidTarget = "invalid_target"
    // RFC 9449 §5, §8.
    case invalidDPoPProof = "invalid_dpop_proof"
    case useDPoPNonce = "use_dpop_nonce"
    // OpenID Connect Core §3.1.2.6, and Unmet Authentication Requirements.
    case loginRequired = "login_required"
    case consentRequired = "consent_required"
    case interactionRequired = "interaction_required"
    case requestNotSupported = "request_not_supported"
    case requestURINotSupported = "request_uri_not_supported"
    case invalidRequestURI = "invalid_request_uri"
    case unmetAuthenticationRequirements = "unmet_authentication_requirements"
    // RFC 8628 §3.5 and OpenID Connect CIBA §11, §13.
    case authorizationPending = "authorization_pending"
    case slowDown = "slow_down"
    case expiredToken = "expired_token"
    case invalidBindingMessage = "invalid_binding_message"
    // RFC 7009 §2.2.1.
    case unsupportedTokenType = "unsupported_token_type"
    // RFC 7591 §3.2.2.
    case invalidRedirectURI = "invalid_redirect_uri"
    case invalidClientMetadata = "invalid_client_metadata"
    // RFC 6750 §3.1, RFC 9470 §3.
    case invalidToken = "invalid_token"
    case insufficientScope = "insufficient_scope"
    case insufficientUserAuthentication = "insufficient_user_authentication"

    /// The status of an answer whose body has the word. Of an answer by redirect it is none's.
    package var status: Int {
        switch self {
        case .invalidClient, .invalidToken, .insufficientUserAuthentication: 401
        case .insufficientScope: 403
        case .serverError: 500
        case .temporarilyUnavailable: 503
        case .invalidRequest, .invalidGrant, .unauthorizedClient, .unsupportedGrantType, .unsupportedResponseType, .invalidScope, .accessDenied,
            .invalidTarget, .invalidDPoPProof, .useDPoPNonce, .loginRequired, .consentRequired, .interactionRequired, .requestNotSupported,
            .requestURINotSupported, .invalidRequestURI, .unmetAuthenticationRequirements, .authorizationPending, .slowDown, .expiredToken,
            .invalidBindingMessage, .unsupportedTokenType, .invalidRedirectURI, .invalidClientMetadata:
            400
        }
    }
}

/// What a client is told that did not get what it asked for. It goes as JSON, is not to be stored, and says nothing that helps a thief.
package struct OAuthError: Error, Equatable, Sendable {
    package let code: OAuthErrorCode
    /// For the developer of the client.
    package let description: String
    /// `WWW-Authenticate`, which every 401 has (RFC 9110 §15.5.2).
    package let challenge: String?
    /// `DPoP-Nonce` (RFC 9449 §8).
    package let nonce: String?
    /// Where whoever asks has to wait: whose fault that is, and for how many seconds.
    private let wait: Wait?

    private enum Wait: Equatable {
        /// Theirs (RFC 6585 §4).
        case tooOften(UInt64)
        /// Ours (RFC 9110 §15.6.4).
        case unavailable(UInt64)
    }

    package init(_ code: OAuthErrorCode, _ description: String, challenge: String? = nil, nonce: String? = nil) {
        self.init(code, description, challenge: challenge, nonce: nonce, wait: nil)
    }

    private init(_ code: OAuthErrorCode, _ description: String, challenge: String? = nil, nonce: String? = nil, wait: Wait?) {
        self.code = code
        self.description = description
        self.challenge = challenge
        self.nonce = nonce
        self.wait = wait
    }

    /// Where whoever asks has asked too often: 429, whatever the word.
    package static func tooOften(_ code: OAuthErrorCode, _ description: String, after seconds: UInt64) -> OAuthError {
        OAuthError(code, description, wait: .tooOften(seconds))
    }

    /// Where whoever asks has done nothing wrong and may ask again.
    package static func unavailable(_ description: String, after seconds: UInt64) -> OAuthError {
        OAuthError(.temporarilyUnavailable, description, wait: .unavailable(seconds))
    }

    package var status: Int {
        if case .tooOften = wait { return 429 }
        return code.status
    }

    /// Seconds of `Retry-After`, of a 429 or a 503; nil where nobody has to wait.
    package var retryAfter: UInt64? {
        switch wait {
        case .tooOften(let seconds), .unavailable(let seconds): seconds
        case nil: nil
        }
    }
}
