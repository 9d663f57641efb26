import OstiaryProtocol

/// What may be used once and was: proofs and assertions, inside a transaction.
package protocol SpentRows: AnyObject {
    /// Notes it; false when it was noted before. `by` is the call: one that looks again finds what it noted itself. `until` is the last second in which
    /// it would be taken once more, so it is forgotten after that second and not in it.
    func spend(_ key: [UInt8], by redemption: RedemptionID, until: Instant) throws -> Bool
}
