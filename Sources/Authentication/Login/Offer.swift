import OstiaryProtocol

/// What one phone was shown of a session: the request it sent, the ephemeral key it sent it with, and the L2 that it was answered (protocol §4).
package struct Offer: Equatable, Sendable {
    /// How many are kept of a session.
    package static let mostPerSession = 8

    package let requestHash: [UInt8]
    package let session: SessionID
    package let ephemeral: [UInt8]
    /// The body of the L2.
    package let shown: [UInt8]
    package let binding: Binding
    package let madeAt: Instant

    package init(requestHash: [UInt8], session: SessionID, ephemeral: [UInt8], shown: [UInt8], binding: Binding, madeAt: Instant) {
        self.requestHash = requestHash
        self.session = session
        self.ephemeral = ephemeral
        self.shown = shown
        self.binding = binding
        self.madeAt = madeAt
    }

    /// What the device key and the second factor sign for: everything that this account was shown.
    package func sessionHash(for account: AccountID) -> [UInt8] {
        Transcript.session(requestHash: requestHash, shown: shown, account: account)
    }

    /// The L2, which this server made and stored.
    func content() throws(Refusal) -> L2 {
        do { return try L2(decoding: shown) } catch { throw .malformed(error) }
    }
}
