import OstiaryProtocol

/// Whom to tell of sessions that ended, inside a transaction.
package protocol LogoutRows: AnyObject {
    /// One for each session that is over and each client that has a grant of it and an address to be told at, unless it was settled; and for one that goes
    /// on, of which an operator ended what the client had. At most `limit`, those that are due, each client's first before any client's
    /// second, so that a client of which many are due hides no other. One that was never tried is due at once. That an account is deleted hides none of
    /// its sessions.
    func dueLogouts(at now: Instant, limit: Int) throws -> [LogoutNotice]
    /// Remembers when it is due again.
    func postpone(_ notice: LogoutNotice) throws
    /// There is nothing more to do.
    func settle(_ notice: LogoutNotice) throws
}
