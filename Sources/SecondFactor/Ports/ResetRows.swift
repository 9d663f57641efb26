import OstiaryProtocol

/// Resets that were granted, inside a transaction. Nobody deletes them.
package protocol ResetRows: AnyObject {
    /// Oldest first.
    func resets(of instance: InstanceID, since: Instant) throws -> [ResetRecord]
    func add(_ record: ResetRecord) throws
}
