/// Why there is no token, as far as the app can do something about it (docs/token-service.md). The log has more.
package enum TokenServiceTrouble: Error, Equatable, Sendable {
    /// No answer in time, none at all, “not now”, or our secret is not taken, which only an operator can mend.
    case unavailable
    /// It says no.
    case refused
    /// What it says is no token, or longer than one may be.
    case answer

    /// What an HTTP status says; nil for the one that comes with a token.
    package init?(status: Int) {
        switch status {
        case 200: return nil
        // Of us and not of the person; of somebody between us who counts calls; of a moment.
        case 401, 407, 408, 425, 429, 500...599: self = .unavailable
        case 400...499: self = .refused
        default: self = .answer
        }
    }
}

/// Why there are too many calls.
package enum TokenCallLimit: Equatable, Sendable {
    /// Under way at the virtual server.
    case underWay
    /// Of the account in this minute.
    case ofAccount
}
