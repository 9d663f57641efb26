/// What became of one session.
public struct HistoryItem: Sendable, Identifiable, Hashable {
    public enum Status: String, Sendable, Hashable, CaseIterable {
        /// Logged in still.
        case loggedIn = "LOGGED_IN"
        /// Logged in at a server that does not watch over sessions (`pingTime` 0).
        case loggedInOneShot = "LOGGED_IN_ONE_SHOT"
        case loggedOut = "LOGGED_OUT"
        /// Denied, given up, too late, or ended here by a one-time code: whether somebody was logged in by that, this device does not hear.
        case aborted = "ABORTED"
        /// Over because its account is gone.
        case deleted = "DELETED"
        case error = "ERROR"
    }

    /// The session's.
    public let id: Session.ID
    public let status: Status
    /// Of the account; empty if it did not come to one.
    public let username: String
    public let serverName: String
    /// The name of the service that asked; empty for an enrolment.
    public let serviceName: String
    public let isAppLogin: Bool
    public let isEnrolment: Bool
    /// When it came to this status, in Unix seconds.
    public let changedAt: UInt64
}

extension Ostiary {
    /// What became of the sessions on this device, oldest first: at most 200, none older than `expiryHistoryItems`.
    public var history: [HistoryItem] { snapshot(for: .person)?.history ?? [] }

    /// Empties the history.
    public func clearHistory() { send(.clearHistory) }
}
