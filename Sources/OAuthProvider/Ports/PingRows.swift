import Authentication
import OstiaryProtocol

/// Clients that are to hear that a person decided, inside a transaction.
package protocol PingRows: AnyObject {
    /// Authorizations with a notification that were decided, are not over, and are due to be told; at most `limit`. One that was never tried is due
    /// at once.
    func duePings(at now: Instant, limit: Int) throws -> [DuePing]
    func postpone(_ ping: DuePing) throws
    /// There is nothing more to do.
    func settle(_ ping: DuePing) throws
}

/// A client that is still to hear of a decision.
package struct DuePing: Sendable {
    package let authorization: PolledAuthorization
    package var retry: RetrySchedule

    package init(authorization: PolledAuthorization, retry: RetrySchedule) {
        self.authorization = authorization
        self.retry = retry
    }
}
