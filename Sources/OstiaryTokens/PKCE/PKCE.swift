import OstiaryProtocol

/// What an authorization request commits to: BASE64URL(SHA-256(verifier)), method S256 (RFC 7636 §4.2). There is no `plain`.
package struct CodeChallenge: Hashable, Sendable {
    /// 32 bytes.
    package let hash: [UInt8]

    /// 43 characters of base64url, which no other spelling has.
    package init(_ text: String) throws(PKCEError) {
        guard text.utf8.count >= 43 else { throw .tooShort }
        guard text.utf8.count <= 43 else { throw .tooLong }
        guard let hash = Base64URL.decode(text) else { throw .badCharacter }
        self.hash = hash
    }

    fileprivate init(of verifier: CodeVerifier) { hash = SHA(verifier.text.utf8) }

    /// From a store that kept it.
    package init?(stored hash: [UInt8]) {
        guard hash.count == 32 else { return nil }
        self.hash = hash
    }

    package var text: String { Base64URL.encode(hash) }

    /// RFC 7636 §4.6.
    package func isMet(by verifier: CodeVerifier) -> Bool { matches(SHA(verifier.text.utf8), hash) }
}

/// What shows that whoever redeems a code began the request: 43 to 128 unreserved characters (RFC 7636 §4.1).
package struct CodeVerifier: Sendable {
    fileprivate let text: String

    package init(_ text: String) throws(PKCEError) {
        guard text.utf8.count >= 43 else { throw .tooShort }
        guard text.utf8.count <= 128 else { throw .tooLong }
        guard text.utf8.allSatisfy(Self.isUnreserved) else { throw .badCharacter }
        self.text = text
    }

    /// A new one of 32 random bytes, as RFC 7636 §4.1 recommends: 43 characters.
    package init(using random: any RandomSource) { text = Base64URL.encode(random.bytes(32)) }

    /// What is shown for it beforehand.
    package var challenge: CodeChallenge { CodeChallenge(of: self) }

    /// As it goes to the token endpoint, and nowhere else.
    package var sent: String { text }

    private static func isUnreserved(_ character: UInt8) -> Bool {
        PercentEscape.isUnreserved(character)
    }
}

extension CodeVerifier: CustomStringConvertible, CustomReflectable {
    package var description: String { "‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a text is no challenge or verifier.
package enum PKCEError: Error, Equatable, Sendable {
    case tooShort, tooLong, badCharacter
}
