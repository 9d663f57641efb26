/// Why a service behind the server gave nothing, as far as the app can do something about it (docs/token-service.md). The log has more.
package enum ServiceTrouble: Error, Equatable, Sendable {
    /// No answer in time, none at all, “not now”, or our secret is not taken, which only an operator can mend.
    case unavailable
    /// It says no.
    case refused
    /// What it says is nothing that can be handed on, or longer than that may be.
    case answer

    /// What an HTTP status says; nil for the one that comes with an answer.
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
package enum ServiceCallLimit: Equatable, Sendable {
    /// Under way at the virtual server.
    case underWay
    /// Under way of the account.
    case underWayOfAccount
    /// The very same one is under way.
    case same
    /// Of the account in this minute.
    case ofAccount
}
