/// The version of AP1 that this program speaks.
package let protocolVersion: UInt8 = 1

/// Algorithms that go together (protocol §2, §12).
package enum Suite: UInt16, Sendable {
    /// X25519/HKDF-SHA256/ChaCha20-Poly1305, Ed25519, P-256.
    case classic = 0x0101

    package static let minimum = Suite.classic
}

/// Message types (protocol §2).
package enum MessageType: UInt8, CaseIterable, Sendable {
    case request = 0x01
    case answer = 0x02
    case e1 = 0x10
    case e2 = 0x11
    case e3 = 0x12
    case e4 = 0x13
    case w1 = 0x14
    case l1 = 0x20
    case l2 = 0x21
    case l5 = 0x22
    case l6 = 0x23
    case l7 = 0x24
    case m1 = 0x30
    case m2 = 0x31
    case ticket = 0x32
    case secondFactorAnswer = 0x33
    case proof = 0x34
    case receipt = 0x35
    case close = 0x36
    case secondFactorEvaluation = 0x37
    case m3 = 0x38
    case m4 = 0x39
    case reset = 0x3A
    case probe = 0x3B
    case leave = 0x3C
    case ping = 0x40
    case stop = 0x41
    case delete = 0x42
    case pingAnswer = 0x43
    case tombstone = 0x44
    case getData = 0x45
    case fetch = 0x46
    case waiting = 0x47
    case verification = 0x48
    case getToken = 0x49
    case serviceToken = 0x4A
    case serviceData = 0x4B
    case bundle = 0x50

    /// The type of a message that begins with `bytes`.
    package init(of bytes: [UInt8]) throws(WireError) {
        guard bytes.count >= 4 else { throw .truncated }
        guard bytes[0] == protocolVersion else { throw .badVersion }
        guard let type = MessageType(rawValue: bytes[1]) else { throw .badType }
        self = type
    }
}

/// `u8 version = 1, u8 type, u16 suite`, the front of every message.
struct MessageHeader {
    let type: MessageType

    func check(_ reader: inout ByteReader) throws(WireError) {
        guard try reader.u8() == protocolVersion else { throw .badVersion }
        guard try reader.u8() == type.rawValue else { throw .badType }
        guard Suite(rawValue: try reader.u16()) != nil else { throw .badSuite }
    }

    func write(to writer: inout ByteWriter) {
        writer.u8(protocolVersion)
        writer.choice(type)
        writer.u16(Suite.classic.rawValue)
    }
}
