import OstiaryProtocol

/// The queue of closes, inside a transaction.
package protocol CloseRows: AnyObject {
    func queue(_ close: PendingClose) throws
    func dueCloses(at now: Instant, limit: Int) throws -> [PendingClose]
    func removeClose(of instance: InstanceID) throws
    /// Since when the one waits that has waited longest.
    func oldestClose() throws -> Instant?
}

/// The queue of leaves, inside a transaction.
package protocol LeaveRows: AnyObject {
    func queue(_ leave: PendingLeave) throws
    func dueLeaves(at now: Instant, limit: Int) throws -> [PendingLeave]
    func removeLeave(of deviceKey: [UInt8]) throws
    /// Whether one waits for this key.
    func isLeaving(_ deviceKey: [UInt8]) throws -> Bool
    /// Since when the one waits that has waited longest.
    func oldestLeave() throws -> Instant?
}
