import Authentication
import OstiaryProtocol

/// Clients that are to hear that a person decided, inside a transaction.
package protocol PingRows: AnyObject {
    /// Authorizations with a notification that were decided, may still be asked for, and are due to be told; at most `limit`, each client's first
    /// before any client's second. One that was never tried is due at once.
    func duePings(at now: Instant, limit: Int) throws -> [DuePing]
    func postpone(_ ping: DuePing) throws
    /// There is nothing more to do.
    func settle(_ ping: DuePing) throws
}

/// A client that is still to hear of a decision.
package struct DuePing: BackendNotice {
    /// By which a store finds it: the hash of its authorization.
    package let hash: [UInt8]
    package let server: ServerID
    package let client: ClientID
    package let notification: PolledAuthorization.Notification
    package var retry: RetrySchedule

    package var address: String { notification.address }

    /// Nil for an authorization whose client polls.
    package init?(_ authorization: PolledAuthorization, retry: RetrySchedule) {
        guard let notification = authorization.notification else { return nil }
        hash = authorization.hash
        server = authorization.server
        client = authorization.client
        self.notification = notification
        self.retry = retry
    }
}
