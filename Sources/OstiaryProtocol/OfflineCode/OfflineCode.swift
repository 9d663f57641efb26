/// What a phone without a connection shows and a person types: which account it is, and that its key is at hand, for one session and one interval
/// (protocol §9).
package struct OfflineCode: Sendable {
    /// Seconds of an interval.
    package static let step: UInt64 = 120

    /// Names the account at its virtual server: 30 bits.
    package let reference: UInt32
    /// Of the code alone; it opens a session, so it goes nowhere but to the person who asked for it.
    private let value: UInt64
    private let length: OfflineCodeLength

    /// - Parameters:
    ///   - key: `otpKey` of the account.
    ///   - session: as it was scanned, or as it is stored.
    ///   - interval: of the moment, by whoever's clock counts.
    package init(reference: UInt32, key: SecretBytes, session: OfflineSession, interval: UInt64, length: OfflineCodeLength) {
        var writer = ByteWriter()
        writer.fixed(session.hash, 32)
        writer.u64(interval)
        self.reference = reference & OfflineCodeLength.referenceMask
        self.length = length
        value = Crockford.leading(bits: length.bits, of: MAC(key: key.exposed, .otp, writer.bytes))
    }

    /// The interval of a moment.
    package static func interval(at moment: Instant) -> UInt64 { moment.seconds / step }

    /// For the person's eyes: two groups, `2XPP7Q R5BDD0`.
    package var exposed: String {
        "\(Crockford.encode(UInt64(reference), bits: OfflineCodeLength.referenceBits)) \(Crockford.encode(value, bits: length.bits))"
    }

    /// Whether it is what was typed, in a time that tells nothing of either.
    package func matches(_ typed: TypedOfflineCode) -> Bool {
        (value ^ typed.exposed) | UInt64(reference ^ typed.reference) == 0
    }
}

extension OfflineCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹secret›" }
    package var debugDescription: String { "‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// What a code is for, and for nothing else: one session of one virtual server. Each code on a screen that names it is the same to it.
package struct OfflineSession: Hashable, Sendable {
    package let serverTag: [UInt8]
    package let id: SessionID

    package init(serverTag: [UInt8], id: SessionID) {
        self.serverTag = serverTag
        self.id = id
    }

    package init(_ link: LoginLink) { self.init(serverTag: link.serverTag, id: link.sessionID) }

    /// H("link", srvTag || sid).
    var hash: [UInt8] { H(.link, serverTag + id.bytes) }
}

/// How many characters the code has behind the six of the reference.
package enum OfflineCodeLength: Int, Sendable, CaseIterable {
    /// 30 bits.
    case six = 6
    /// 40 bits.
    case eight = 8

    /// Bits of a reference.
    package static let referenceBits = 30
    package static let referenceMask: UInt32 = 1 << UInt32(referenceBits) - 1

    package var bits: Int { rawValue * 5 }
}

/// A text that is a code of some account. Whose, and whether it is right, nobody has looked at (protocol §9).
package struct TypedOfflineCode: Sendable {
    package let reference: UInt32
    /// The code alone, for a comparison in constant time and for nothing else.
    package let exposed: UInt64

    /// Either case, spaces and hyphens anywhere, I and L as 1, O as 0.
    /// - Throws: `CrockfordError` for what is no code, which must not count as a try.
    package init(_ text: String, length: OfflineCodeLength) throws(CrockfordError) {
        // Two numbers beside each other: 60 or 70 bits are more than one holds.
        let typed = text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
        let split = OfflineCodeLength.referenceBits / 5
        guard typed.count == split + length.rawValue else { throw .wrongLength }
        reference = UInt32(try Crockford.decode(String(decoding: typed.prefix(split), as: UTF8.self), bits: OfflineCodeLength.referenceBits))
        exposed = try Crockford.decode(String(decoding: typed.dropFirst(split), as: UTF8.self), bits: length.bits)
    }
}

extension TypedOfflineCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹secret›" }
    package var debugDescription: String { "‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
