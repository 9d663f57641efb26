import OstiaryProtocol

/// Resets that were granted, inside a transaction.
package protocol ResetRows: AnyObject {
    /// Oldest first.
    func resets(of instance: InstanceID, since: Instant) throws -> [ResetRecord]
    func add(_ record: ResetRecord) throws
    /// Forgets those of before that moment, the oldest first and at most `limit`, and answers how many.
    func removeResets(before moment: Instant, limit: Int) throws -> Int
}
