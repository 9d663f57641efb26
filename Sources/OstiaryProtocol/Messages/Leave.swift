/// Leave: an account is gone while others keep its instance; its device key signs no attempt there any more (protocol §13).
package struct Leave: WireMessage, OperatorSigned {
    package static let type = MessageType.leave
    package static let label = Label.leave

    package let serverID: ServerID
    package let instanceID: InstanceID
    /// P-256, 65 bytes.
    package let deviceKey: [UInt8]
    package let time: Instant
    package var signature: OperatorSignature

    package init(serverID: ServerID, instanceID: InstanceID, deviceKey: [UInt8], time: Instant) {
        self.serverID = serverID
        self.instanceID = instanceID
        self.deviceKey = deviceKey
        self.time = time
        signature = .blank
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        serverID = try ServerID(from: &reader)
        instanceID = try InstanceID(from: &reader)
        deviceKey = try reader.fixed(DevicePublicKey.count)
        time = try reader.instant()
        signature = try OperatorSignature(from: &reader)
    }

    package func writeBody(to writer: inout ByteWriter) {
        serverID.write(to: &writer)
        instanceID.write(to: &writer)
        writer.fixed(deviceKey, DevicePublicKey.count)
        writer.instant(time)
        signature.write(to: &writer)
    }
}
