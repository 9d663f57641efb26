import OstiaryProtocol

package enum GrantKind {}
/// One authorization.
package typealias GrantID = Identifier<GrantKind>

extension GrantID {
    /// The grant that a hash of 32 bytes names.
    init(hash: [UInt8]) {
        var reader = ByteReader(hash)
        guard let id = try? GrantID(from: &reader) else { preconditionFailure("a hash has 32 bytes") }
        self = id
    }
}

package enum RedemptionKind {}
/// One call at the token endpoint: by it a call whose answer of the database was lost finds what it did itself.
package typealias RedemptionID = Identifier<RedemptionKind>

package enum RefusalKind {}
/// One call that told a client something else than a code: by it a call whose answer of the database was lost finds what it did itself.
package typealias RefusalID = Identifier<RefusalKind>

/// `client_id`: what an operator names an application (RFC 6749 §2.2), in visible characters without a colon, which Basic needs for itself. `.` and `..`
/// are none: in an address of the REST API they mean another one, up to that of the virtual server itself.
package struct ClientID: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package init?(_ text: String) {
        guard Self.isVisible(text), !PathPart.isDots(text) else { return nil }
        self.text = text
    }

    private init(former text: String) { self.text = text }

    /// One that was registered at some time: of before that rule there may be one of dots, which is read, and goes by what takes away all that a document
    /// leaves out.
    package static func stored(_ text: String) -> ClientID? { isVisible(text) ? ClientID(former: text) : nil }

    /// Whether it stands in an address as it is. What has to be escaped there is left alone, escaped again or taken apart by whatever reads addresses on the
    /// way: `a%2F..%2Fb` is another application's then.
    var needsNoEscape: Bool { text.utf8.allSatisfy(PathPart.isPlain) }

    private static func isVisible(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
    }

    package var description: String { text }
}

/// The identifier of an API, which is the audience of its tokens: an absolute URI without a fragment (RFC 8707 §2). Nobody calls it.
package struct APIIdentifier: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package init?(_ text: String) {
        guard (1...512).contains(text.utf8.count), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }),
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), URIScheme.isOne(text[..<colon]), text.index(after: colon) < text.endIndex
        else { return nil }
        self.text = text
    }

    package var description: String { text }
}

/// A part of a path (RFC 3986 §3.3).
enum PathPart {
    /// Whether it stands for the place itself, or the one above: whatever reads the address takes it out (§5.2.4).
    static func isDots(_ text: String) -> Bool { text == "." || text == ".." }

    /// Whether a byte stands there for itself.
    static func isPlain(_ byte: UInt8) -> Bool { PercentEscape.isUnreserved(byte) || others.contains(byte) }

    private static let others = Set("!$&'()*+,;=:@".utf8)
}

/// The scheme of a URI (RFC 3986 §3.1).
enum URIScheme {
    static func isOne(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || isDigit($0) || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// Visible ASCII but for quotation mark and backslash (RFC 6749 appendix A, NQCHAR).
enum NQCharacter {
    static func isOne(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x5B, 0x5D...0x7E: true
        default: false
        }
    }
}
