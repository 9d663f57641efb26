import OstiaryProtocol

/// App instances, inside a transaction.
package protocol InstanceRows: AnyObject {
    func instance(_ id: InstanceID) throws -> Instance?
    /// Adds the instance or puts it in the place of its former self; a key that is not in it any more is overwritten.
    func save(_ instance: Instance) throws
    /// Instances whose latest change bears a later moment.
    func instances(seenAfter moment: Instant, limit: Int) throws -> [Instance]
}
