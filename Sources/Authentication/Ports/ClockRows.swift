import OstiaryProtocol

/// What lies ahead of the clock, inside a transaction.
package protocol ClockRows: AnyObject {
    /// Sessions that began, or whose app answered, after a moment.
    func sessions(writtenAfter moment: Instant, limit: Int) throws -> [Session]
    /// Enrolments that wait for longer than that.
    func enrolments(expiringAfter moment: Instant, limit: Int) throws -> [Enrolment]
    /// Forgets the caches of proofs, and those of activations, after a moment.
    func removeCaches(verifiedAfter moment: Instant, orActivatedAfter activation: Instant) throws
    func closes(dueAfter moment: Instant) throws -> [PendingClose]
    func leaves(dueAfter moment: Instant) throws -> [PendingLeave]
}
