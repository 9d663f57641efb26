/// A server's identity: its root key and its id. The hash of this is what an enrolment link pins (protocol §3).
package struct Root: WireStruct, Equatable {
    package let ed25519: [UInt8]
    package let serverID: ServerID

    package init(ed25519: [UInt8], serverID: ServerID) {
        self.ed25519 = ed25519
        self.serverID = serverID
    }

    package init(from reader: inout ByteReader) throws(WireError) {
        ed25519 = try reader.fixed(32)
        _ = try reader.v16(cap: 0)
        serverID = try ServerID(from: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(ed25519, 32)
        writer.v16([])
        serverID.write(to: &writer)
    }

    /// rootHash = H("root", Root), 32 bytes: the identity that people and configurations compare.
    package var hash: [UInt8] { H(.root, encoded) }
    /// srvTag: the first four bytes of the root hash, which tell a server's messages and links apart.
    package var tag: [UInt8] { Array(hash.prefix(4)) }
}

/// `OpCert`: an operational key, certified by the root for a time (protocol §3).
package struct OperatorCertificate: WireStruct, Equatable {
    package let id: [UInt8]
    package let ed25519: [UInt8]
    package let notBefore: Instant
    package let notAfter: Instant
    package let signature: [UInt8]

    init(id: [UInt8], ed25519: [UInt8], notBefore: Instant, notAfter: Instant, signature: [UInt8]) {
        self.id = id
        self.ed25519 = ed25519
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.signature = signature
    }

    package init(from reader: inout ByteReader) throws(WireError) {
        id = try reader.fixed(8)
        ed25519 = try reader.fixed(32)
        _ = try reader.v16(cap: 0)
        notBefore = try reader.instant()
        notAfter = try reader.instant()
        signature = try reader.fixed(64)
        _ = try reader.v16(cap: 0)
    }

    package func write(to writer: inout ByteWriter) {
        writeUnsigned(to: &writer)
        writer.fixed(signature, 64)
        writer.v16([])
    }

    private func writeUnsigned(to writer: inout ByteWriter) {
        writer.fixed(id, 8)
        writer.fixed(ed25519, 32)
        writer.v16([])
        writer.instant(notBefore)
        writer.instant(notAfter)
    }

    /// The fixed structure has one encoding, so these are the bytes received.
    var signedBytes: [UInt8] {
        var writer = ByteWriter()
        writeUnsigned(to: &writer)
        return writer.bytes
    }
}

/// `Prekey`: an X25519 key to seal requests to, signed by an operational key (protocol §1, §3).
package struct Prekey: OperatorSigned {
    package static let label = Label.prekey

    package let id: UInt32
    package let publicKey: [UInt8]
    package let notAfter: Instant
    package var signature: OperatorSignature

    package init(id: UInt32, publicKey: [UInt8], notAfter: Instant) {
        self.id = id
        self.publicKey = publicKey
        self.notAfter = notAfter
        signature = .blank
    }

    package init(from reader: inout ByteReader) throws(WireError) {
        id = try reader.u32()
        guard Suite(rawValue: try reader.u16()) != nil else { throw .badSuite }
        publicKey = try reader.v16()
        guard publicKey.count == 32 else { throw .badLength }
        notAfter = try reader.instant()
        signature = try OperatorSignature(from: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        writer.u32(id)
        writer.u16(Suite.classic.rawValue)
        writer.v16(publicKey)
        writer.instant(notAfter)
        signature.write(to: &writer)
    }
}
