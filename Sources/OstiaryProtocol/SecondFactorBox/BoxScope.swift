/// Which box a PIN opens: the instance and the epoch of its PIN (protocol §7). Part of every input, so no two boxes share a key.
package struct BoxScope: Hashable, Sendable {
    package let instance: InstanceID
    package let epoch: UInt32

    package init(instance: InstanceID, epoch: UInt32) {
        self.instance = instance
        self.epoch = epoch
    }

    /// sfId ‖ epoch, 20 bytes.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        instance.write(to: &writer)
        writer.u32(epoch)
        return writer.bytes
    }
}
