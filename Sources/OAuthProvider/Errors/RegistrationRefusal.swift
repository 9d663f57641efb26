/// Why a client is not registered (RFC 7591 §3.2.2).
package enum RegistrationRefusal: Error, Equatable, Sendable {
    /// The virtual server registers nobody.
    case closed
    /// None came; nothing is said of what was wrong (RFC 6750 §3.1).
    case tokenMissing
    /// Unknown, used up, or over.
    case tokenWrong
    /// The body is no JSON object, or is not said to be one.
    case bodyWrong
    /// An address of `redirect_uris`, by its place there, or all of them.
    case redirect(Int?, String)
    /// A member, and what is wrong with it.
    case metadata(String, String)
    /// There are as many as there may be.
    case full
    /// As many came from its place as may in a day; one more may after so many seconds.
    case tooOften(seconds: UInt64)
    /// An operator said something else while the client was being registered.
    case changed

    package var code: OAuthErrorCode {
        switch self {
        case .closed, .full, .tooOften, .changed: .temporarilyUnavailable
        case .tokenMissing, .tokenWrong: .invalidToken
        case .redirect: .invalidRedirectURI
        case .bodyWrong, .metadata: .invalidClientMetadata
        }
    }

    /// For the developer of the client. What came from outside is not said back.
    package var description: String {
        switch self {
        case .closed: "nobody is registered here"
        case .tokenMissing: "an initial access token is needed"
        case .tokenWrong: "the initial access token is not valid, is used up, or is over"
        case .bodyWrong: "the body is a JSON object, of the type application/json"
        case .redirect(let index, let problem): index.map { "redirect_uris[\($0)] \(problem)" } ?? "redirect_uris \(problem)"
        case .metadata(let member, let problem): "\(member) \(problem)"
        case .changed: "what may be registered has changed: ask again"
        case .tooOften(let seconds): "too many clients were registered from your address: ask again in \(seconds) seconds"
        case .full: "as many clients are registered as there may be"
        }
    }

    /// What the client is told.
    package var answer: OAuthError {
        let challenge: String? =
            switch self {
            case .tokenMissing: #"Bearer realm="registration""#
            case .tokenWrong: #"Bearer realm="registration", error="invalid_token""#
            case .closed, .bodyWrong, .redirect, .metadata, .full, .tooOften, .changed: nil
            }
        return switch self {
        case .tooOften(let seconds): .tooOften(code, description, after: seconds)
        // Nobody knows when one goes: an operator removes it, or housekeeping does, which looks for clients that nobody used.
        case .full: .unavailable(description, after: 3_600)
        case .changed: .unavailable(description, after: 1)
        case .closed, .tokenMissing, .tokenWrong, .bodyWrong, .redirect, .metadata: OAuthError(code, description, challenge: challenge)
        }
    }
}

extension RegistrationRefusal {
    /// What the rules of all applications say, by the name that RFC 7591 has for the member.
    init(_ refusal: ApplicationRefusal) {
        switch refusal {
        case .nameWrong: self = .metadata("client_name", "is one line of 1 to \(ApplicationRules.longestName) bytes, with something to see")
        case .siteWrong: self = .metadata("client_uri", "is too long")
        case .keyMissing: self = .metadata("jwks", "has no public key for signatures")
        case .redirectMissing: self = .redirect(nil, "is empty")
        case .redirectUnneeded: self = .redirect(nil, "is for authorization_code only")
        case .tooManyRedirects: self = .redirect(nil, "has more than \(ApplicationRules.mostRedirects)")
        case .redirectWrong: self = .redirect(nil, "has an address of apps, and the client is none")
        case .refreshAlone: self = .metadata("grant_types", "has refresh_token and none that gives refresh tokens")
        case .grantTypeWrong: self = .metadata("grant_types", "has one that is not for such a client")
        default: self = .metadata("client metadata", "is not what a client may have here")
        }
    }
}
