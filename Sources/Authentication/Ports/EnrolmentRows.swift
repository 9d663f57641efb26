import OstiaryProtocol

/// Enrolments, inside a transaction.
package protocol EnrolmentRows: AnyObject {
    func enrolment(_ id: EnrolmentID) throws -> Enrolment?
    /// The newest that was started for a nonce.
    func enrolment(nonceHash: [UInt8], of server: ServerID) throws -> Enrolment?
    /// The one whose newest E1 came with this key.
    func enrolment(ephemeral: [UInt8]) throws -> Enrolment?
    /// The newest that made, would make, or would change the account.
    func enrolment(account: AccountID) throws -> Enrolment?
    /// Those that are to make this headless account a full one, and are not written down as over.
    func upgrades(of account: AccountID) throws -> [Enrolment]
    /// Adds the enrolment or puts it in the place of its former self.
    func save(_ enrolment: Enrolment) throws
    /// Enrolments that ran out before `now` and are not written down as failed, at most `limit`.
    func overdueEnrolments(at now: Instant, limit: Int) throws -> [Enrolment]
}
