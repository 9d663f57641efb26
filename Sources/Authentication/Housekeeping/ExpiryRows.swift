import OstiaryProtocol

/// Forgetting, inside a transaction.
package protocol ExpiryRows: AnyObject {
    /// Deletes what nobody can ask for any more at `now`: old requests, finished sessions, caches, enrolments, of each at most `limit`. Answers how
    /// many of the kind went of which most did.
    func removeExpired(at now: Instant, limit: Int) throws -> Int
}

/// How long things stay that are over.
package enum Retention {
    /// Seconds for which a finished session and its nonce are kept, so that late phones and pages are told what became of it.
    package static let finishedSession: UInt64 = 86_400
    /// The same of a session that ran out before anybody decided: no phone signed anything that could be asked about.
    package static let unusedSession: UInt64 = 120
    /// Seconds for which an enrolment is kept after its time, so that a repeat is answered alike.
    package static let enrolment: UInt64 = 3_600
}
