/// Probe: an authentication server asks whether it is trusted, and whether everything that a login needs is in order (protocol §7). It changes nothing.
package struct Probe: WireMessage, OperatorSigned {
    package static let type = MessageType.probe
    package static let label = Label.secondFactorProbe

    package let serverID: ServerID
    /// 16 random bytes, fresh for each probe.
    package let nonce: [UInt8]
    package let time: Instant
    package var signature: OperatorSignature

    package init(serverID: ServerID, nonce: [UInt8], time: Instant) {
        self.serverID = serverID
        self.nonce = nonce
        self.time = time
        signature = .blank
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        serverID = try ServerID(from: &reader)
        nonce = try reader.fixed(16)
        time = try reader.instant()
        signature = try OperatorSignature(from: &reader)
    }

    package func writeBody(to writer: inout ByteWriter) {
        serverID.write(to: &writer)
        writer.fixed(nonce, 16)
        writer.instant(time)
        signature.write(to: &writer)
    }
}
