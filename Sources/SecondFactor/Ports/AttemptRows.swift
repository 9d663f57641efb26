import OstiaryProtocol

/// Attempts that were counted, inside a transaction.
package protocol AttemptRows: AnyObject {
    func attempt(_ id: AttemptID) throws -> AttemptRecord?
    /// Adds the attempt or puts it in the place of its former self.
    func save(_ attempt: AttemptRecord) throws
    /// The evaluation of an attempt that has none yet; the first one stays.
    func keep(evaluation: [UInt8], of attempt: AttemptID) throws
    /// Another attempt took its place: its evaluation goes.
    func supersede(_ attempt: AttemptID) throws
    func removeAttempts(of instance: InstanceID) throws
}
