/// `Sig`: a signature by an operational key. No post-quantum part exists in suite 0x0101 (protocol §2).
package struct OperatorSignature: WireStruct {
    package let keyID: [UInt8]
    package let ed25519: [UInt8]

    static let count = 74
    static let blank = OperatorSignature(keyID: [UInt8](repeating: 0, count: 8), ed25519: [UInt8](repeating: 0, count: 64))

    package init(keyID: [UInt8], ed25519: [UInt8]) {
        self.keyID = keyID
        self.ed25519 = ed25519
    }

    package init(from reader: inout ByteReader) throws(WireError) {
        keyID = try reader.fixed(8)
        ed25519 = try reader.fixed(64)
        _ = try reader.v16(cap: 0)
    }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(keyID, 8)
        writer.fixed(ed25519, 64)
        writer.v16([])
    }
}

/// A structure whose last field is a `Sig` over all bytes before it.
package protocol OperatorSigned: WireStruct {
    static var label: Label { get }
    var signature: OperatorSignature { get set }
}

extension Encoded where Value: OperatorSigned {
    /// The structure with its signature set by `key`.
    package init(_ value: Value, signedBy key: OperatorKey) {
        let unsigned = Array(value.encoded.dropLast(OperatorSignature.count))
        var signed = value
        signed.signature = key.sign(Value.label, unsigned)
        self.init(value: signed, bytes: unsigned + signed.signature.encoded)
    }

    /// Throws unless one of `keys`, valid at `now`, signed these very bytes.
    package func verify(with keys: OperatorKeys, at now: Instant) throws(BadSignature) {
        try keys.verify(value.signature, Value.label, Array(bytes.dropLast(OperatorSignature.count)), at: now)
    }
}

/// A structure whose last field is a raw 64-byte signature by the device key over all bytes before it (protocol §2).
package protocol DeviceSigned: WireStruct {
    static var label: Label { get }
    var deviceSignature: [UInt8] { get set }
}

package let deviceSignatureCount = 64
package let blankDeviceSignature = [UInt8](repeating: 0, count: deviceSignatureCount)

extension Encoded where Value: DeviceSigned {
    /// All bytes before the device signature: what it covers, and what makes two copies of a message the same (protocol §6).
    package var unsignedBytes: [UInt8] { Array(bytes.dropLast(deviceSignatureCount)) }

    /// The structure with its signature made by `sign`, which is given the bytes that the key signs.
    /// `freshness` is `ephPk||ts` of the request for messages that come with a fresh ephemeral key (protocol §2, exception 2), else empty.
    package init<Failure: Error>(
        _ value: Value, freshness: [UInt8] = [], signedBy sign: ([UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) {
        let unsigned = Array(value.encoded.dropLast(deviceSignatureCount))
        var signed = value
        signed.deviceSignature = try sign(signatureInput(Value.label, freshness + unsigned))
        self.init(value: signed, bytes: unsigned + signed.deviceSignature)
    }

    package func verify(by key: DevicePublicKey, freshness: [UInt8] = []) throws(BadSignature) {
        try key.verify(value.deviceSignature, Value.label, freshness + unsignedBytes)
    }
}
