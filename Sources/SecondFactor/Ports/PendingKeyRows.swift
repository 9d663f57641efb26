import OstiaryProtocol

/// Keys that wait for their first proof, inside a transaction.
package protocol PendingKeyRows: AnyObject {
    func pendingKey(of instance: InstanceID) throws -> PendingKey?
    /// An instance has at most one: the newest. The former key is overwritten.
    func save(_ key: PendingKey) throws
    func removePendingKey(of instance: InstanceID) throws
}
