import OstiaryProtocol

/// Whom to tell of sessions that ended, inside a transaction.
///
/// There is one notice for each session that is over and each client that has a grant of it and an address to be told at, unless it was settled; and for a
/// session that goes on, of which an operator ended what the client had. One that was never tried is due at once. That an account is deleted hides none of its
/// sessions.
package protocol LogoutRows: AnyObject {
    /// Whether there is a client with an address. The looks below come every two seconds and cost tens of times this one also where they find nothing, the
    /// more the more people log in; and most servers have no such client.
    func isAnyClientTold() throws -> Bool
    /// What became due from `since` to `now`, found by the moment at which it did: sessions that were ended or ran out, grants that an operator ended, and
    /// what was put off until then. At most `limit`, each client's first before any client's second. What a store leaves out here is found by the other look.
    func logouts(dueSince since: Instant, at now: Instant, limit: Int) throws -> [LogoutNotice]
    /// What is due among the next `count` grants after a place, of those that clients with an address have and were told nothing of.
    func logouts(among count: Int, after place: GrantPlace?, at now: Instant) throws -> LogoutPart
    /// Remembers when it is due again.
    func postpone(_ notice: LogoutNotice) throws
    /// There is nothing more to do.
    func settle(_ notice: LogoutNotice) throws
}
