import Authentication
import OstiaryProtocol

/// That a session ended, or what a client had of it, as its backend has still to hear (OpenID Connect Back-Channel Logout §2.5). Nobody queues it: it
/// follows from the grant, whose session is over, so that no end of a session can forget it.
package struct LogoutNotice: BackendNotice, Equatable {
    /// Seconds after which a backend that was never there is told no more.
    static let patience: UInt64 = 86_400

    package let server: ServerID
    package let session: SessionID
    package let client: ClientID
    /// `sub` of the ID tokens that it got, which is kept when the account is deleted; nil for a grant of which none was kept.
    package let subject: String?
    /// Where it listens.
    package let address: String
    /// False when the session goes on, and an operator ended what the client had of it: what it gets afterwards is told at the end of the session.
    package let isOver: Bool
    package internal(set) var retry: RetrySchedule

    package init(
        server: ServerID, session: SessionID, client: ClientID, subject: String?, address: String, isOver: Bool = true, retry: RetrySchedule
    ) {
        self.server = server
        self.session = session
        self.client = client
        self.subject = subject
        self.address = address
        self.isOver = isOver
        self.retry = retry
    }

    /// What is left to do after a try; nil when that was the last.
    func after(_ verdict: DeliveryVerdict, at now: Instant) -> LogoutNotice? {
        guard verdict == .retry, now.seconds(since: retry.since) < Self.patience else { return nil }
        var next = self
        next.retry.postpone(at: now)
        return next
    }
}
