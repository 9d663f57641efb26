/// GetData: the device of an account asks the Data Service behind the server (protocol §10). It needs no session, and says nothing of a person.
package struct GetData: WireMessage, DeviceSigned {
    package static let type = MessageType.getData
    package static let label = Label.data
    /// Bytes of a question, at most: the request around it has no more than 65,535.
    package static let mostBytes = 65_000

    package let accountID: AccountID
    /// The same in each try of one call of the app, so that a write has one effect.
    package let callID: CallID
    /// Of any kind, also none.
    package let payload: [UInt8]
    package let extensions: Extensions
    /// Over `ephPk||ts` of its request too, as that of a Ping.
    package var deviceSignature: [UInt8]

    /// Nil for a question that is too long.
    package init?(accountID: AccountID, callID: CallID, payload: [UInt8], extensions: Extensions = .none) {
        guard payload.count <= Self.mostBytes else { return nil }
        self.accountID = accountID
        self.callID = callID
        self.payload = payload
        self.extensions = extensions
        deviceSignature = blankDeviceSignature
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        accountID = try AccountID(from: &reader)
        callID = try CallID(from: &reader)
        payload = try reader.v16(cap: Self.mostBytes)
        extensions = try Extensions(from: &reader)
        deviceSignature = try reader.fixed(deviceSignatureCount)
    }

    package func writeBody(to writer: inout ByteWriter) {
        accountID.write(to: &writer)
        callID.write(to: &writer)
        writer.v16(payload)
        extensions.write(to: &writer)
        writer.fixed(deviceSignature, deviceSignatureCount)
    }
}

extension GetData: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { "GetData of \(accountID)" }
    package var debugDescription: String { description }
}

/// ServiceData: what the Data Service behind the server answered, byte for byte (protocol §10). Nobody on the way looks into it.
package struct ServiceData: WireMessage, Equatable {
    package static let type = MessageType.serviceData
    /// Bytes of one, at most: with what stands around it, it has to fit into the body of an answer, whose length has two bytes.
    package static let mostBytes = 65_000

    /// Of any kind, also none: a write may have nothing to say.
    package let data: [UInt8]
    package let extensions: Extensions

    /// Nil for what no answer can carry.
    package init?(data: [UInt8], extensions: Extensions = .none) {
        guard data.count <= Self.mostBytes else { return nil }
        self.data = data
        self.extensions = extensions
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        data = try reader.v16(cap: Self.mostBytes)
        extensions = try Extensions(from: &reader)
    }

    package func writeBody(to writer: inout ByteWriter) {
        writer.v16(data)
        extensions.write(to: &writer)
    }
}

extension ServiceData: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { "ServiceData ‹secret›" }
    package var debugDescription: String { description }
}
