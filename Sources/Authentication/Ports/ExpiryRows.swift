import OstiaryProtocol

/// Forgetting, inside a transaction.
package protocol ExpiryRows: AnyObject {
    /// Deletes what nobody can ask for any more at `now`: old requests, finished sessions, caches, enrolments, of each at most `limit`. Answers how
    /// many of the kind went of which most did.
    func removeExpired(at now: Instant, limit: Int) throws -> Int
    /// Forgets of accounts that were deleted before that moment that there were any, the longest gone first and at most `limit`, and answers how many.
    func removeDeleted(before moment: Instant, limit: Int) throws -> Int
}
