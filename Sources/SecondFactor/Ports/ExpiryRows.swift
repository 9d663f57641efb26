import OstiaryProtocol

/// Forgetting, inside a transaction.
package protocol ExpiryRows: AnyObject {
    /// Deletes attempts and pending keys that have had their time at `now`. Answers how many rows went.
    func removeExpired(at now: Instant) throws -> Int
}
