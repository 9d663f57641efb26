/// Sixteen bytes that name one thing of a kind; the kind is part of the type, so that one cannot stand in for another.
package struct Identifier<Kind>: Hashable, Sendable, CustomStringConvertible {
    package let bytes: [UInt8]

    package static var count: Int { 16 }

    /// Nil unless there are exactly sixteen bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = bytes
    }

    package static var textLength: Int { 22 }

    /// From base64url text without padding, as REST paths carry it.
    package init?(text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes)
    }

    /// From such a text as it lies in memory.
    package init?(text: UnsafeBufferPointer<UInt8>) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes)
    }

    package init(from reader: inout ByteReader) throws(WireError) { bytes = try reader.fixed(Self.count) }
    package init(using random: any RandomSource) { bytes = random.bytes(Self.count) }

    package func write(to writer: inout ByteWriter) { writer.fixed(bytes, Self.count) }

    /// base64url without padding, ``textLength`` characters.
    package var text: String { Base64URL.encode(bytes) }
    package var description: String { text }
}

package enum ServerKind {}
package enum AccountKind {}
package enum SessionKind {}
package enum EnrolmentKind {}
package enum InstanceKind {}
package enum AttemptKind {}
package enum NoticeKind {}
package enum CallKind {}

/// A virtual server.
package typealias ServerID = Identifier<ServerKind>
/// One app instance × one user × one server.
package typealias AccountID = Identifier<AccountKind>
/// `sid`: a session, derived from the nonce of the business backend (protocol §3).
package typealias SessionID = Identifier<SessionKind>
/// `enrolId`: one enrolment link.
package typealias EnrolmentID = Identifier<EnrolmentKind>
/// `sfId`: an app instance × a virtual server at the second-factor server (protocol §1).
package typealias InstanceID = Identifier<InstanceKind>
/// `attemptId`: one try of a second factor.
package typealias AttemptID = Identifier<AttemptKind>
/// A notice to the person of one account, until it was shown (protocol §8).
package typealias NoticeID = Identifier<NoticeKind>
/// `callId`: one question to a service behind a virtual server, however often it is sent (protocol §8, §10).
package typealias CallID = Identifier<CallKind>

extension ByteReader {
    /// v8(0|16) around an identifier.
    package mutating func optionalIdentifier<Kind>(_: Kind.Type = Kind.self) throws(WireError) -> Identifier<Kind>? {
        try optional8(Identifier<Kind>.count).flatMap { Identifier<Kind>($0) }
    }
}

extension ByteWriter {
    package mutating func optionalIdentifier<Kind>(_ value: Identifier<Kind>?) { v8(value?.bytes ?? []) }
}
