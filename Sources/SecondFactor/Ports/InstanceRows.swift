import OstiaryProtocol

/// App instances, inside a transaction.
package protocol InstanceRows: AnyObject {
    func instance(_ id: InstanceID) throws -> Instance?
    /// Adds the instance or puts it in the place of its former self; a key that is not in it any more is overwritten.
    func save(_ instance: Instance) throws
    /// Looks at the next `limit` instances behind `place`, in the order of their ids, for those whose latest change bears a moment later than `moment`.
    func lookAhead(of moment: Instant, behind place: InstanceID?, limit: Int) throws -> LookAhead
}

/// What a look at some instances found.
package struct LookAhead: Equatable, Sendable {
    /// Those whose latest change bears a later moment.
    package let ahead: [InstanceID]
    /// The last one that was looked at; nil at the end of them.
    package let last: InstanceID?

    package init(ahead: [InstanceID], last: InstanceID?) {
        self.ahead = ahead
        self.last = last
    }
}
