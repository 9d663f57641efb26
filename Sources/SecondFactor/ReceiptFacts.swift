import OstiaryProtocol

/// What a receipt proves about the counter. Only a receipt that we signed for this very instance makes one (protocol §7).
package struct ReceiptFacts: Hashable, Sendable {
    package let sequence: UInt64
    package let byPIN: Bool

    init(sequence: UInt64, byPIN: Bool) {
        self.sequence = sequence
        self.byPIN = byPIN
    }

    /// Nil unless one of our keys signed it, when that key was valid, and it names the instance of the ticket and its virtual server. A PIN that
    /// was set was not counted: its receipt tells nothing of the counter.
    package init?(_ receipt: Encoded<Receipt>, for ticket: Ticket, signedBy ownKeys: OperatorKeys) {
        let value = receipt.value
        guard value.serverID == ticket.serverID, value.instanceID == ticket.attempt.value.instanceID, !value.context.setsPIN,
            (try? receipt.verify(with: ownKeys, at: value.issuedAt)) != nil
        else { return nil }
        self.init(sequence: value.sequence, byPIN: value.method.contains(.pin))
    }
}
