import OstiaryProtocol

/// What may be used once and was: proofs and assertions, inside a transaction.
package protocol SpentRows: AnyObject {
    /// Notes it; false when it was noted before. `by` is the call: one that looks again finds what it noted itself.
    func spend(_ key: [UInt8], by redemption: RedemptionID, until: Instant) throws -> Bool
}
