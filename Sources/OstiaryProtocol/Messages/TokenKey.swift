/// The key that a phone names at an AppLogin, for tokens to be bound to: told by its thumbprint, signed with the L5 (protocol §6).
package struct TokenKey: Hashable, Sendable {
    /// SHA-256 over the key as a JWK (RFC 7638 §3), 32 bytes: what RFC 9449 §6.1 calls `jkt`.
    package let thumbprint: [UInt8]

    /// Nil unless there are exactly 32 bytes.
    package init?(thumbprint: [UInt8]) {
        guard thumbprint.count == 32 else { return nil }
        self.thumbprint = thumbprint
    }

    /// Of a P-256 key in X9.63, 65 bytes. The members that make the key stand in the order of their names, and nothing between them (RFC 7638 §3.2).
    package init(publicKey: [UInt8]) {
        let (x, y) = (Base64URL.encode(Array(publicKey.dropFirst().prefix(32))), Base64URL.encode(Array(publicKey.dropFirst(33))))
        thumbprint = SHA(Array(#"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#.utf8))
    }
}

extension Extensions {
    /// Extension 4 of the L5 of an AppLogin: the thumbprint and nothing else.
    package static let tokenKeyType: UInt16 = 4

    /// What an L5 brings beside its decision.
    package init(shownNotices: [NoticeID], tokenKey: TokenKey?) {
        let named = tokenKey.map { [Item(type: Self.tokenKeyType, value: $0.thumbprint)] }
        self.init(items: Extensions(shownNotices: shownNotices).items + (named ?? []))
    }

    /// The key that came along; nil where none did.
    /// - Throws: `WireError` when what came is no thumbprint.
    package func tokenKey() throws(WireError) -> TokenKey? {
        guard let item = items.first(where: { $0.type == Self.tokenKeyType }) else { return nil }
        guard let key = TokenKey(thumbprint: item.value) else { throw .badLength }
        return key
    }
}
