import OstiaryProtocol

/// One reset that was granted: the audit log, and what the limit of resets by message counts.
package struct ResetRecord: Hashable, Sendable {
    package let instanceID: InstanceID
    package let serverID: ServerID
    package let grantedAt: Instant
    /// The time in the message; nil for an operator's command.
    package let messageTime: Instant?
    /// The counter as it was.
    package let highest: UInt64
    package let proven: UInt64

    package init(instanceID: InstanceID, serverID: ServerID, grantedAt: Instant, messageTime: Instant?, highest: UInt64, proven: UInt64) {
        self.instanceID = instanceID
        self.serverID = serverID
        self.grantedAt = grantedAt
        self.messageTime = messageTime
        self.highest = highest
        self.proven = proven
    }
}
