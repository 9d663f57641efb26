/// A login of which it is not known whether it counts: a process of this phone said yes to it, and has not heard the answer, or ended before that.
package struct UndecidedLogin: Sendable, Identifiable, Equatable {
    package let id: Session.ID
    /// The service, where it has a name, else the server.
    package let name: String
    /// Of the account that said yes; nil where the account is gone.
    package let username: String?
    package let isAppLogin: Bool
    /// Whether it was given up: its server is told so until no copy of the yes can log anybody in.
    package let isGivenUp: Bool
}
