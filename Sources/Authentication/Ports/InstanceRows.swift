import OstiaryProtocol

/// Instances, inside a transaction.
package protocol InstanceRows: AnyObject {
    func instance(_ id: InstanceID) throws -> Instance?
    /// Adds the instance or puts it in the place of its former self.
    func save(_ instance: Instance) throws
    /// Forgets the instance and its shares.
    func removeInstance(_ id: InstanceID) throws
}

extension InstanceRows {
    /// The instance whose PIN is the account's second factor; nil for a headless account.
    func instance(of account: Account) throws -> Instance? { try account.instance.flatMap { try instance($0) } }
}
