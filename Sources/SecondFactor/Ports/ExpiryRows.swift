import OstiaryProtocol

/// Forgetting, inside a transaction.
package protocol ExpiryRows: AnyObject {
    /// Deletes attempts and pending keys that have had their time at `now`, at most `limit` of both together. Answers how many rows went.
    func removeExpired(at now: Instant, limit: Int) throws -> Int
    /// Deletes at most `limit` pending keys that have had their time, and answers how many.
    func removePendingKeys(expiredAt now: Instant, limit: Int) throws -> Int
}
