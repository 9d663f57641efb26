import OstiaryProtocol

/// A Leave that the second-factor server has not confirmed yet: the account of a device key is gone while others keep the instance (protocol §13).
package struct PendingLeave: Equatable, Sendable {
    package let deviceKey: [UInt8]
    package let instance: InstanceID
    package let server: ServerID
    package var retry: RetrySchedule

    package init(deviceKey: [UInt8], instance: InstanceID, server: ServerID, retry: RetrySchedule) {
        self.deviceKey = deviceKey
        self.instance = instance
        self.server = server
        self.retry = retry
    }

    /// The same wish after one more try in vain.
    func postponed(at now: Instant) -> PendingLeave {
        var next = self
        next.retry.postpone(at: now)
        return next
    }
}
