import OstiaryProtocol

/// The requests that had an effect, inside a transaction.
package protocol ReplayRows: AnyObject {
    /// Notes a request; false when it was noted before.
    func spend(_ key: [UInt8], until: Instant) throws -> Bool
}
