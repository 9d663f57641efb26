import Authentication

/// What became of a session that was pushed to a phone.
package enum PushedOutcome: Equatable, Sendable {
    /// The phone may still decide.
    case undecided
    case loggedIn(Login)
    /// The person said no, or has ended the login since.
    case denied
    /// Nobody decided in time.
    case over
}
