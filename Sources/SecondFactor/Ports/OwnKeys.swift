import OstiaryProtocol

/// This server's keys at one moment, as far as a call needs them (protocol §1).
package protocol OwnKeys: Sendable {
    /// Signs answers and receipts.
    var operatorKey: OperatorKey { get }
    /// Every operational key that this server ever had, to verify receipts of any age.
    var receiptKeys: OperatorKeys { get }

    /// A phone's request, opened; nil if it is for another server, for a prekey that is erased, or damaged.
    func open(_ request: [UInt8]) -> OpenedRequest?
}
