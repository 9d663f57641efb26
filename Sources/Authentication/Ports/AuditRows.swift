import OstiaryProtocol

/// The audit trail, inside a transaction.
package protocol AuditRows: AnyObject {
    func record(_ entry: AuditEntry) throws
    /// The newest entries about a server, newest first.
    func auditEntries(of server: ServerID, limit: Int) throws -> [AuditEntry]
    /// Forgets entries of before that moment, the oldest first and at most `limit`, and answers how many.
    func removeAudit(before moment: Instant, limit: Int) throws -> Int
}
