/// A structure with exactly one encoding: `encode(decode(x)) == x` for every x that decodes (protocol §2).
package protocol WireStruct: Sendable {
    init(from reader: inout ByteReader) throws(WireError)
    func write(to writer: inout ByteWriter)
}

extension WireStruct {
    package init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = ByteReader(bytes)
        self = try Self(from: &reader)
        try reader.finish()
    }

    package var encoded: [UInt8] {
        var writer = ByteWriter()
        write(to: &writer)
        return writer.bytes
    }
}

/// A structure that travels on its own and therefore opens with `version type suite` (protocol §2).
package protocol WireMessage: WireStruct {
    static var type: MessageType { get }
    init(body reader: inout ByteReader) throws(WireError)
    func writeBody(to writer: inout ByteWriter)
}

extension WireMessage {
    package init(from reader: inout ByteReader) throws(WireError) {
        try MessageHeader(type: Self.type).check(&reader)
        self = try Self(body: &reader)
    }

    package func write(to writer: inout ByteWriter) {
        MessageHeader(type: Self.type).write(to: &writer)
        writeBody(to: &writer)
    }
}

/// A structure together with the very bytes it was received or sent as; hashes and signatures are over these.
package struct Encoded<Value: WireStruct>: Sendable {
    package let value: Value
    package let bytes: [UInt8]

    init(value: Value, bytes: [UInt8]) {
        self.value = value
        self.bytes = bytes
    }

    /// A structure of our own making.
    package init(_ value: Value) {
        self.init(value: value, bytes: value.encoded)
    }

    package init(decoding bytes: [UInt8]) throws(WireError) {
        self.init(value: try Value(decoding: bytes), bytes: bytes)
    }
}
