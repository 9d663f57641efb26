import OstiaryTokens

/// Why there is no token: precise for the audit log and the tests, vague on the wire.
package enum TokenRefusal: Error, Equatable, Sendable {
    // The request (RFC 6749 §3.2).
    case parameterRepeated(String)
    case parameterMissing(String)
    case parameterWrong(String)
    case grantTypeUnknown
    // The client.
    case client(ClientRefusal)
    case grantTypeNotAllowed
    /// Only a client that keeps a secret may.
    case publicClient
    // The proof of possession.
    case proof(DPoPRefusal)
    // The code (RFC 6749 §4.1.3, RFC 7636 §4.6).
    case codeUnknown, codeExpired, codeSpent, codeOfAnother, redirectChanged
    case verifier(PKCEError)
    case verifierWrong
    // The refresh token (RFC 6749 §6).
    case refreshUnknown, refreshOfAnother, refreshExpired, refreshReused
    // What everything hangs on.
    case grantOver
    // Scope and target (RFC 6749 §3.3, RFC 8707 §2).
    case scope(ScopeError)
    case scopeNotGranted, nothingGranted, consentMissing, targetUnknown
    // What a person decides elsewhere (RFC 8628 §3.5, OpenID Connect CIBA §11).
    case polledUnknown, polledOfAnother, polledSpent
    case pending, slowDown, polledExpired, denied
    // The exchange (RFC 8693 §2.2.2).
    case subjectTokenTypeWrong, subjectTokenUnknown, requestedTypeWrong, actorNotSupported

    package var code: OAuthErrorCode {
        switch self {
        case .parameterRepeated, .parameterMissing, .parameterWrong, .subjectTokenTypeWrong, .requestedTypeWrong, .actorNotSupported:
            .invalidRequest
        case .grantTypeUnknown: .unsupportedGrantType
        case .client(let refusal): refusal.code
        case .grantTypeNotAllowed, .publicClient: .unauthorizedClient
        case .proof(.nonceNeeded): .useDPoPNonce
        case .proof(.otherKey): .invalidGrant
        case .proof: .invalidDPoPProof
        case .codeUnknown, .codeExpired, .codeSpent, .codeOfAnother, .redirectChanged, .verifier, .verifierWrong, .refreshUnknown,
            .refreshOfAnother, .refreshExpired, .refreshReused, .grantOver, .polledUnknown, .polledOfAnother, .polledSpent, .subjectTokenUnknown:
            .invalidGrant
        case .scope, .scopeNotGranted, .nothingGranted, .consentMissing: .invalidScope
        case .targetUnknown: .invalidTarget
        case .pending: .authorizationPending
        case .slowDown: .slowDown
        case .polledExpired: .expiredToken
        case .denied: .accessDenied
        }
    }

    /// For the developer of the client; of what a thief could try, all read the same.
    package var description: String {
        switch self {
        case .parameterRepeated(let name): "\(name) came twice"
        case .parameterMissing(let name): "\(name) is missing"
        case .parameterWrong(let name): "\(name) is not what it should be"
        case .grantTypeUnknown: "this grant_type is not known here"
        case .client(.twoWays): "the client shows who it is in two ways: one is enough"
        case .client(.namesDiffer): "client_id names another client than the Authorization field or the assertion"
        case .client(.assertionTypeWrong): "client_assertion_type is not what it should be"
        case .client: "the client is not known, or did not show who it is"
        case .grantTypeNotAllowed: "the client may not use this grant_type"
        case .publicClient: "only a client that authenticates may do this"
        case .proof(.missing): "a DPoP proof is needed"
        case .proof(.nonceNeeded): "use the nonce of DPoP-Nonce in the proof"
        case .proof(.otherKey): "the proof is by another key"
        case .proof: "the DPoP proof is not valid"
        case .verifier: "code_verifier has 43 to 128 unreserved characters"
        case .codeUnknown, .codeExpired, .codeSpent, .codeOfAnother, .redirectChanged, .verifierWrong:
            "the code is not valid for this client, redirect_uri and code_verifier, or is over"
        case .refreshUnknown, .refreshOfAnother, .refreshExpired, .refreshReused, .grantOver: "the grant is not valid, or is over"
        case .scope: "scope is not a list of scopes"
        case .scopeNotGranted: "scope has something that was not granted"
        case .nothingGranted: "nothing of the scope may be granted"
        case .consentMissing: "the person has not let the client have any of the scope"
        case .targetUnknown: "there is no such audience or resource for this client"
        case .polledUnknown, .polledOfAnother, .polledSpent: "the code is not valid for this client, or is over"
        case .pending: "nobody has decided yet"
        case .slowDown: "ask less often: the interval is five seconds longer now"
        case .polledExpired: "nobody decided in time"
        case .denied: "the person said no"
        case .subjectTokenTypeWrong: "subject_token_type is not one that can be exchanged here"
        case .subjectTokenUnknown: "nobody is logged in by this subject_token and key"
        case .requestedTypeWrong: "requested_token_type can only be an access token"
        case .actorNotSupported: "there are no actor tokens here"
        }
    }
}

extension TokenRefusal {
    /// For the log of an operator: `client(methodWrong)`. The name of a parameter that came twice is whatever its sender made it, and left out.
    package var reason: String { if case .parameterRepeated = self { "parameterRepeated" } else { Self.word(self) } }

    /// A case as it is written in the sources, without the names of its types.
    static func word(_ refusal: some Error) -> String { "\(refusal)".replacing(/[A-Za-z]+\.[A-Za-z]+\./, with: "") }
}
