import OstiaryProtocol

/// A Close that the second-factor server has not confirmed yet.
package struct PendingClose: Equatable, Sendable {
    package let instance: InstanceID
    package let server: ServerID
    package var retry: RetrySchedule

    package init(instance: InstanceID, server: ServerID, retry: RetrySchedule) {
        self.instance = instance
        self.server = server
        self.retry = retry
    }

    /// The same wish after one more try in vain.
    func postponed(at now: Instant) -> PendingClose {
        var next = self
        next.retry.postpone(at: now)
        return next
    }
}
