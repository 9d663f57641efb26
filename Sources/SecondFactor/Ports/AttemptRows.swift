import OstiaryProtocol

/// Attempts that were counted, inside a transaction.
package protocol AttemptRows: AnyObject {
    func attempt(_ id: AttemptID) throws -> AttemptRecord?
    /// Adds the attempt or puts it in the place of its former self.
    func save(_ attempt: AttemptRecord) throws
    /// Another attempt took its place.
    func supersede(_ attempt: AttemptID) throws
    func removeAttempts(of instance: InstanceID) throws
}
