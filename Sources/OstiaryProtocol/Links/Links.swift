/// What a QR code or a link holds (protocol §3).
package enum Link: Sendable {
    case enrol(EnrolLink)
    case upgrade(UpgradeLink)
    case login(Encoded<LoginLink>)

    package init(decoding bytes: [UInt8]) throws(WireError) {
        guard bytes.count >= 2 else { throw .truncated }
        switch LinkKind(rawValue: bytes[1]) {
        case .enrol: self = .enrol(try EnrolLink(decoding: bytes))
        case .upgrade: self = .upgrade(try UpgradeLink(decoding: bytes))
        case .login: self = .login(try Encoded(decoding: bytes))
        case nil: throw .badType
        }
    }

    /// From `https://host/l#…`, or from the base64url text alone.
    package init(text: String) throws(WireError) {
        let fragment = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).last ?? ""
        guard let bytes = Base64URL.decode(fragment) else { throw .badText }
        try self.init(decoding: bytes)
    }

    /// Whether this version has links of the kind that stands in their second byte. Others come from somebody newer.
    package static func hasKind(_ byte: UInt8) -> Bool { LinkKind(rawValue: byte) != nil }

    /// The link as a web address; the content is in the fragment, which is not sent to servers.
    package static func text(of bytes: [UInt8], at origin: String) -> String { "\(origin)/l#\(Base64URL.encode(bytes))" }
}

enum LinkKind: UInt8 {
    case enrol = 1
    case login = 2
    case upgrade = 3

    func check(_ reader: inout ByteReader) throws(WireError) {
        guard try reader.u8() == protocolVersion else { throw .badVersion }
        guard try reader.u8() == rawValue else { throw .badType }
    }
}

/// EnrolLink: pins the server's identity and carries the secret of one enrolment.
package struct EnrolLink: WireStruct, Equatable {
    package let rootHash: [UInt8]
    package let enrolID: EnrolmentID
    package let enrolSecret: [UInt8]
    /// The server's origin.
    package let url: String

    package init(rootHash: [UInt8], enrolID: EnrolmentID, enrolSecret: [UInt8], url: String) {
        self.rootHash = rootHash
        self.enrolID = enrolID
        self.enrolSecret = enrolSecret
        self.url = url
    }

    package init(from reader: inout ByteReader) throws(WireError) {
        try LinkKind.enrol.check(&reader)
        rootHash = try reader.fixed(32)
        enrolID = try EnrolmentID(from: &reader)
        enrolSecret = try reader.fixed(16)
        url = try reader.text8()
    }

    package func write(to writer: inout ByteWriter) {
        writer.u8(protocolVersion)
        writer.u8(LinkKind.enrol.rawValue)
        writer.fixed(rootHash, 32)
        enrolID.write(to: &writer)
        writer.fixed(enrolSecret, 16)
        writer.text8(url)
    }
}

/// LoginLink: names a session of a known server; its maker alone can make its mac.
package struct LoginLink: WireStruct, Equatable {
    package static let count = 37

    package let serverTag: [UInt8]
    package let sessionID: SessionID
    package let issuedAt: UInt32
    /// Seconds since `issuedAt` of a dynamic frame; 0 for a static code or a link.
    package let frame: UInt16
    package let binding: Binding
    package let mac: [UInt8]

    /// A link under the session's `qrSecret`.
    package init(serverTag: [UInt8], sessionID: SessionID, issuedAt: UInt32, frame: UInt16, binding: Binding, qrSecret: [UInt8]) {
        self.serverTag = serverTag
        self.sessionID = sessionID
        self.issuedAt = issuedAt
        self.frame = frame
        self.binding = binding
        var writer = ByteWriter()
        Self.writeUnsigned(serverTag, sessionID, issuedAt, frame, binding, to: &writer)
        mac = Self.mac(over: writer.bytes, qrSecret: qrSecret)
    }

    package init(from reader: inout ByteReader) throws(WireError) {
        try LinkKind.login.check(&reader)
        serverTag = try reader.fixed(4)
        sessionID = try SessionID(from: &reader)
        issuedAt = try reader.u32()
        frame = try reader.u16()
        binding = try reader.choice()
        mac = try reader.fixed(8)
    }

    package func write(to writer: inout ByteWriter) {
        Self.writeUnsigned(serverTag, sessionID, issuedAt, frame, binding, to: &writer)
        writer.fixed(mac, 8)
    }

    private static func writeUnsigned(
        _ serverTag: [UInt8], _ sessionID: SessionID, _ issuedAt: UInt32, _ frame: UInt16, _ binding: Binding, to writer: inout ByteWriter
    ) {
        writer.u8(protocolVersion)
        writer.u8(LinkKind.login.rawValue)
        writer.fixed(serverTag, 4)
        sessionID.write(to: &writer)
        writer.u32(issuedAt)
        writer.u16(frame)
        writer.choice(binding)
    }

    private static func mac(over bytes: [UInt8], qrSecret: [UInt8]) -> [UInt8] { Array(MAC(key: qrSecret, .link, bytes).prefix(8)) }
}

extension Encoded<LoginLink> {
    /// Whether the server that holds `qrSecret` made these very bytes.
    package func isGenuine(qrSecret: [UInt8]) -> Bool {
        matches(Array(MAC(key: qrSecret, .link, Array(bytes.dropLast(8))).prefix(8)), value.mac)
    }
}
