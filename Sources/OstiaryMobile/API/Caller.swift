/// Who is behind a call: what an app does only because a person uses it keeps an AppLogin alive, what a system makes it do does not (S1-13 to 15).
///
/// Reading `accounts`, `sessions`, `session(_:)` and `history` implies a person, and so does every call that waits but `refresh()`; reading
/// `Ostiary.AppLogin`, `tokenProof` and `getData` do not, because backends are called in the background as well. For the rest the list is `Command.caller`.
enum Caller: Sendable {
    case person
    /// A push message, a timer, a change of the app's state.
    case system
}

extension Command {
    var caller: Caller {
        switch self {
        case .start, .startUserInteraction, .setAccount, .secondFactor, .cancelSecondFactor, .deny, .stop, .stopAppLogin, .deleteAccount, .token,
            .oneTimeCode, .clearHistory, .reset, .manage, .fetchWaitingLogins:
            .person
        case .resume, .watch, .enterBackground, .enterForeground: .system
        }
    }
}

extension Ostiary {
    /// Tells the SDK that a person uses the app, which keeps an AppLogin from ending by inactivity.
    ///
    /// Reading `accounts`, `sessions`, `session(_:)` or `history` says the same, and so do all calls by which a person begins, confirms, answers or
    /// ends something. `resume()`, `enterForeground()`, `enterBackground()`, `setWatching(_:)`, `tokenProof`, the events and `Ostiary.AppLogin` do not.
    public func userIsActive() { _ = snapshot(for: .person) }
}
