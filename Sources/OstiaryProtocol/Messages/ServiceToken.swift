/// GetToken: the app asks for a token of the service behind the server, for an AppLogin that is logged in (protocol §8).
package struct GetToken: WireMessage, DeviceSigned {
    package static let type = MessageType.getToken
    package static let label = Label.devToken

    package let sessionID: SessionID
    /// The same in each try of one call of the app, so that a service gives one token for it.
    package let callID: CallID
    package let extensions: Extensions
    /// Over `ephPk||ts` of its request too, as that of a Ping.
    package var deviceSignature: [UInt8]

    package init(sessionID: SessionID, callID: CallID, extensions: Extensions = .none) {
        self.sessionID = sessionID
        self.callID = callID
        self.extensions = extensions
        deviceSignature = blankDeviceSignature
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        sessionID = try SessionID(from: &reader)
        callID = try CallID(from: &reader)
        extensions = try Extensions(from: &reader)
        deviceSignature = try reader.fixed(deviceSignatureCount)
    }

    package func writeBody(to writer: inout ByteWriter) {
        sessionID.write(to: &writer)
        callID.write(to: &writer)
        extensions.write(to: &writer)
        writer.fixed(deviceSignature, deviceSignatureCount)
    }
}

/// ServiceToken: what the service behind the server answered, byte for byte (protocol §8). Nobody on the way looks into it.
package struct ServiceToken: WireMessage, Equatable {
    package static let type = MessageType.serviceToken
    /// Bytes of one, at most: with what stands around it, it has to fit into the body of an answer, whose length has two bytes.
    package static let mostBytes = 65_000

    /// Of any kind, not only text; at least one byte.
    package let token: [UInt8]
    package let extensions: Extensions

    /// Nil for what no answer can carry.
    package init?(token: [UInt8], extensions: Extensions = .none) {
        guard (1...Self.mostBytes).contains(token.count) else { return nil }
        self.token = token
        self.extensions = extensions
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        token = try reader.v16(cap: Self.mostBytes)
        guard !token.isEmpty else { throw .badLength }
        extensions = try Extensions(from: &reader)
    }

    package func writeBody(to writer: inout ByteWriter) {
        writer.v16(token)
        extensions.write(to: &writer)
    }
}

extension ServiceToken: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { "ServiceToken ‹secret›" }
    package var debugDescription: String { description }
}
