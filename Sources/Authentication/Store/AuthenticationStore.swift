import OstiaryProtocol

/// Where the authentication server keeps what it knows.
///
/// A body is plain code over the rows of one transaction: it loads values, runs a machine of this domain on them and saves what came out.
/// Writing bodies run as if one after the other, so a question that a body asked stays answered until it ends; if a body throws, nothing that it
/// did remains. A body may run twice, and has no effect but through its rows.
package protocol AuthenticationStore: Sendable {
    func read<Value: Sendable>(_ body: @Sendable @escaping (any AuthenticationRows) throws -> Value) async throws -> Value
    @discardableResult
    func write<Value: Sendable>(_ body: @Sendable @escaping (any AuthenticationRows) throws -> Value) async throws -> Value
}

/// Every feature's questions to the store, in one transaction.
package protocol AuthenticationRows: ServerRows, SessionRows, AccountRows, InstanceRows, EnrolmentRows, CloseRows, ReplayRows, AuditRows, ExpiryRows {
}

/// The requests that had an effect, inside a transaction.
package protocol ReplayRows: AnyObject {
    /// Notes a request; false when it was noted before.
    func spend(_ key: [UInt8], until: Instant) throws -> Bool
}

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
