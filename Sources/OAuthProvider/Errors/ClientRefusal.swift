import OstiaryTokens

/// Why a client is not taken for who it says it is (RFC 6749 §2.3, RFC 7523 §3): precise for the log and the tests.
package enum ClientRefusal: Error, Equatable, Sendable {
    // What it sent.
    case missing
    /// By the header and in the body, or by secret and assertion (RFC 6749 §2.3).
    case twoWays
    case schemeUnknown, notBase64, noColon, badEscape
    /// The body names another client than the header.
    case namesDiffer
    case assertionTypeWrong
    case assertion(JOSEError)
    case assertionClaims(ClaimError)
    case issuerIsNotSubject, audienceWrong
    /// It would be good for longer than an hour.
    case assertionTooLong
    case assertionReplayed
    // What is known of it.
    case unknown, disabled
    /// Another way than the one that it is registered with.
    case methodWrong
    case secretWrong

    /// A request that can't be read is `invalid_request`; for the rest there is one word, so that nobody learns which clients there are.
    package var code: OAuthErrorCode {
        switch self {
        case .twoWays, .namesDiffer, .assertionTypeWrong: .invalidRequest
        case .missing, .schemeUnknown, .notBase64, .noColon, .badEscape, .assertion, .assertionClaims, .issuerIsNotSubject, .audienceWrong,
            .assertionTooLong, .assertionReplayed, .unknown, .disabled, .methodWrong, .secretWrong:
            .invalidClient
        }
    }
}
