import OstiaryProtocol

/// What a browser brings back to the site that sent it to a login page, once: 16 bytes, 22 characters of base64url (protocol §6).
///
/// It is stored nowhere but as a hash; every node derives it again from the session, the account and the decision.
package struct ReturnCode: Sendable {
    package static let count = 16

    /// For an L6 and a return address, and for nothing else.
    package let exposed: [UInt8]

    init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.count, "a return code has 16 bytes")
        exposed = bytes
    }

    /// What a backend hands in; nil for anything that is not 16 bytes of base64url.
    package init?(text: String) {
        guard text.utf8.count <= 32, let bytes = Base64URL.decode(text), bytes.count == Self.count else { return nil }
        exposed = bytes
    }

    package var text: String { Base64URL.encode(exposed) }
    package var hash: [UInt8] { SHA(exposed) }
}

extension ReturnCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹secret›" }
    package var debugDescription: String { "‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A return code that is awaited, or was handed in: its hash, and until when it is good.
package struct ReturnTicket: Hashable, Sendable {
    /// SHA of the code, 32 bytes.
    package let codeHash: [UInt8]
    package let until: Instant

    package init(codeHash: [UInt8], until: Instant) {
        self.codeHash = codeHash
        self.until = until
    }
}
