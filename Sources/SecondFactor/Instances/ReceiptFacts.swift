import OstiaryProtocol

/// What receipts prove about the counter. Only receipts that we signed for this very instance make one (protocol §7).
package struct ReceiptFacts: Hashable, Sendable {
    /// The number of the newest success.
    package let sequence: UInt64
    /// The number of the newest success by PIN; 0 when no receipt tells of one.
    package let pinSequence: UInt64

    init(sequence: UInt64, byPIN: Bool) {
        self.init(sequence: sequence, pinSequence: byPIN ? sequence : 0)
    }

    private init(sequence: UInt64, pinSequence: UInt64) {
        self.sequence = sequence
        self.pinSequence = pinSequence
    }

    /// Nil unless one of our keys signed it, when that key was valid, and it names the instance of the ticket and its virtual server. A PIN that
    /// was set was not counted: its receipt tells nothing of the counter.
    package init?(_ receipt: Encoded<Receipt>, for ticket: Ticket, signedBy ownKeys: OperatorKeys) {
        let value = receipt.value
        guard value.serverID == ticket.serverID, value.instanceID == ticket.attempt.value.instanceID, !value.context.setsPIN,
            value.sequence < Counter.limit, (try? receipt.verify(with: ownKeys, at: value.issuedAt)) != nil
        else { return nil }
        self.init(sequence: value.sequence, byPIN: value.method.contains(.pin))
    }

    /// What both prove together.
    package func joined(with other: ReceiptFacts) -> ReceiptFacts {
        ReceiptFacts(sequence: max(sequence, other.sequence), pinSequence: max(pinSequence, other.pinSequence))
    }
}
