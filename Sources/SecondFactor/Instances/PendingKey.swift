import OstiaryProtocol

/// A key that was made for one FIRST_SET or PIN_CHANGE_SET and is nobody's yet: the proof makes it the instance's, another attempt erases it.
package struct PendingKey: Hashable, Sendable {
    package let instanceID: InstanceID
    package let owner: VirtualServer
    package let attemptID: AttemptID
    package let deviceKey: [UInt8]
    package let evaluationKey: WrappedKey
    package let expiresAt: Instant

    package init(
        instanceID: InstanceID, owner: VirtualServer, attemptID: AttemptID, deviceKey: [UInt8], evaluationKey: WrappedKey, expiresAt: Instant
    ) {
        self.instanceID = instanceID
        self.owner = owner
        self.attemptID = attemptID
        self.deviceKey = deviceKey
        self.evaluationKey = evaluationKey
        self.expiresAt = expiresAt
    }

    /// Whether it is still to be proved. One that would live longer than any does was made by a clock that ran ahead.
    func isAlive(at now: Instant) -> Bool {
        now < expiresAt && expiresAt.seconds(since: now) <= Times.pendingLifetime + Times.clockSlack
    }
}
