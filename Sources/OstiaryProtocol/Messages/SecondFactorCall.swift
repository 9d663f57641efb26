/// What an authentication server posts to the second-factor server: who calls, the message, and what goes with it.
/// The chain comes along each time, so that the second-factor server needs to know nothing but the pinned root hashes.
package struct SecondFactorCall: WireStruct {
    package let caller: Encoded<ServerChain>
    /// Ticket, Proof, Close, Reset or Leave.
    package let message: [UInt8]
    /// The phone's request, with a Ticket.
    package let sealed: [UInt8]
    /// The newest receipt of the instance that the caller holds.
    package let receipt: Encoded<Receipt>?
    /// The newest by PIN, where `receipt` is that of a biometric: only it tells how far the PIN was proved.
    package let pinReceipt: Encoded<Receipt>?

    package init(
        caller: Encoded<ServerChain>, message: [UInt8], sealed: [UInt8] = [], receipt: Encoded<Receipt>? = nil,
        pinReceipt: Encoded<Receipt>? = nil
    ) {
        self.caller = caller
        self.message = message
        self.sealed = sealed
        self.receipt = receipt
        self.pinReceipt = pinReceipt
    }

    package init(from reader: inout ByteReader) throws(WireError) {
        caller = try reader.part16()
        message = try reader.v16()
        sealed = try reader.v16(cap: 1_024)
        receipt = try reader.optionalPart16()
        pinReceipt = try reader.optionalPart16()
    }

    package func write(to writer: inout ByteWriter) {
        writer.part16(caller)
        writer.v16(message)
        writer.v16(sealed)
        writer.part16(receipt)
        writer.part16(pinReceipt)
    }
}
