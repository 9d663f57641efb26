/// A root with the operational keys that it certified, as it is presented; not yet checked.
package struct ServerChain: WireStruct {
    package let root: Root
    package let certificates: [OperatorCertificate]

    package init(root: Root, certificates: [OperatorCertificate]) {
        self.root = root
        self.certificates = certificates
    }

    package init(from reader: inout ByteReader) throws(WireError) {
        root = try Root(from: &reader)
        certificates = try reader.list { reader throws(WireError) in try OperatorCertificate(from: &reader) }
    }

    package func write(to writer: inout ByteWriter) {
        root.write(to: &writer)
        writer.list(certificates) { writer, certificate in certificate.write(to: &writer) }
    }
}

/// The operational keys of one server, each proved by the root. Only `verify` makes one.
package struct OperatorKeys: Sendable {
    package let root: Root
    private let certificates: [OperatorCertificate]

    /// Throws unless the root has the pinned hash and every certificate bears its signature.
    package static func verify(_ chain: ServerChain, rootHash: [UInt8]) throws(BadSignature) -> OperatorKeys {
        guard matches(chain.root.hash, rootHash) else { throw BadSignature() }
        let root = try EdwardsPublicKey(chain.root.ed25519)
        for certificate in chain.certificates {
            guard certificate.id == Array(H(.op, certificate.ed25519).prefix(8)) else { throw BadSignature() }
            try root.verify(certificate.signature, .op, certificate.signedBytes)
        }
        return OperatorKeys(root: chain.root, certificates: chain.certificates)
    }

    /// Whether any key is valid at `now`; when none is, the clock may be what is wrong (protocol §3).
    package func hasKey(at now: Instant) -> Bool {
        certificates.contains { $0.isValid(at: now) }
    }

    /// When the key of this name becomes valid; nil when no such key is certified.
    package func begin(of keyID: [UInt8]) -> Instant? { certificates.first { $0.id == keyID }?.notBefore }

    /// Throws unless the key that the signature names is certified, valid at `now`, and signed `message`.
    package func verify(_ signature: OperatorSignature, _ label: Label, _ message: [UInt8], at now: Instant) throws(BadSignature) {
        guard let certificate = certificates.first(where: { $0.id == signature.keyID && $0.isValid(at: now) })
        else { throw BadSignature() }
        try EdwardsPublicKey(certificate.ed25519).verify(signature.ed25519, label, message)
    }
}
