import Authentication
import OstiaryProtocol

/// What became of a session in which a phone decides: one that was pushed to it, or that it began by bringing a device's code.
package enum PushedOutcome: Equatable, Sendable {
    /// The phone may still decide.
    case undecided
    case loggedIn(Login)
    /// The person said no, or has ended the login since.
    case denied
    /// Nobody decided in time.
    case over
}

/// Who has taken a session that a phone may still decide.
package enum SessionTaker: Equatable, Sendable {
    /// The first that decides takes it.
    case nobody
    /// The phone of this account, which may have said that it does not go on.
    case account(AccountID, gaveUp: Bool)

    /// Whether a phone of that account may begin anew in its place.
    func makesRoom(for account: AccountID) -> Bool {
        switch self {
        case .nobody: false
        case .account(let taker, let gaveUp): taker == account || gaveUp
        }
    }
}
