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

/// The queue of leaves, inside a transaction.
package protocol LeaveRows: AnyObject {
    func queue(_ leave: PendingLeave) throws
    func dueLeaves(at now: Instant, limit: Int) throws -> [PendingLeave]
    func removeLeave(of deviceKey: [UInt8]) throws
}

extension CloseQueue {
    /// Sends the leaves that are due and answers how many were confirmed.
    func runLeaves(at now: Instant) async throws -> Int {
        var confirmed = 0
        for leave in try await store.read({ rows in try rows.dueLeaves(at: now, limit: Self.batch) }) {
            let status = try? await secondFactor.leave(leave.deviceKey, leave.instance, at: leave.server, now: now)
            let isDone = status == .ok
            try await store.write { rows, _ in
                if isDone { try rows.removeLeave(of: leave.deviceKey) } else { try rows.queue(leave.postponed(at: now)) }
            }
            confirmed += isDone ? 1 : 0
        }
        return confirmed
    }
}
