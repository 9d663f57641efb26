import OstiaryProtocol

/// What is derived from a nonce so that the nonce itself never leaves the backend (protocol §3).
package struct SessionDerivation: Sendable, CustomStringConvertible {
    let sidKey: [UInt8]

    package init(sidKey: [UInt8]) { self.sidKey = sidKey }

    package var description: String { "SessionDerivation ‹secret›" }

    /// sid = HMAC(sidKey, "AP1/sid" 00 nonceHash || run)[0..16]; `run` is never the same twice for a nonce.
    package func sessionID(nonceHash: [UInt8], run: UInt32) -> SessionID {
        var writer = ByteWriter()
        writer.raw(nonceHash)
        writer.u32(run)
        return Self.identifier(MAC(key: sidKey, .sid, writer.bytes))
    }

    /// hsid = HMAC(sidKey, "AP1/hsid" 00 nonceHash)[0..16] names the event stream that browsers listen to.
    package func stream(nonceHash: [UInt8]) -> StreamID { Self.identifier(MAC(key: sidKey, .hsid, nonceHash)) }

    /// qrSecret = HMAC(sidKey, "AP1/qr" 00 sid) makes and checks the mac of login links.
    package func linkSecret(of session: SessionID) -> [UInt8] { MAC(key: sidKey, .qr, session.bytes) }

    /// sid of an AppLogin = HMAC(sidKey, "AP1/sid" 00 accountId || SHA(Req of L1))[0..16]: whose it is can be told without having kept it.
    package func appSession(of account: AccountID, requestHash: [UInt8]) -> SessionID {
        Self.identifier(MAC(key: sidKey, .sid, account.bytes + requestHash))
    }

    /// Whether an offer was made here, for this session and this ephemeral key (protocol §4).
    package func made(_ offer: Encoded<Offer>, for session: SessionID, ephemeral: [UInt8]) -> Bool {
        offer.isGenuine(for: Offer.Place(session: session, ephemeral: ephemeral), key: sidKey)
    }

    private static func identifier<Kind>(_ mac: [UInt8]) -> Identifier<Kind> {
        var reader = ByteReader(mac)
        guard let identifier = try? Identifier<Kind>(from: &reader) else { preconditionFailure("a mac has 32 bytes") }
        return identifier
    }
}

package enum StreamKind {}
/// `hsid`: the event stream of a nonce (protocol §3).
package typealias StreamID = Identifier<StreamKind>
