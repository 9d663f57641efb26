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
    private let certified: [Certified]

    private struct Certified {
        let certificate: OperatorCertificate
        let key: EdwardsPublicKey
    }

    /// Throws unless the root has the pinned hash, every certificate bears its signature, and each key is one.
    package static func verify(_ chain: ServerChain, rootHash: [UInt8]) throws(BadSignature) -> OperatorKeys {
        guard matches(chain.root.hash, rootHash) else { throw BadSignature() }
        let root = try EdwardsPublicKey(chain.root.ed25519)
        var certified: [Certified] = []
        for certificate in chain.certificates {
            guard certificate.id == Array(H(.op, certificate.ed25519).prefix(8)) else { throw BadSignature() }
            try root.verify(certificate.signature, .op, certificate.signedBytes)
            certified.append(Certified(certificate: certificate, key: try EdwardsPublicKey(certificate.ed25519)))
        }
        return OperatorKeys(root: chain.root, certified: certified)
    }

    /// Whether any key is valid at `now`; when none is, the clock may be what is wrong (protocol §3).
    package func hasKey(at now: Instant) -> Bool {
        certified.contains { $0.certificate.isValid(at: now) }
    }

    /// Whether a key of this name is certified and valid at `now`.
    package func hasKey(_ keyID: [UInt8], at now: Instant) -> Bool { signer(keyID, at: now) != nil }

    private func signer(_ keyID: [UInt8], at now: Instant) -> Certified? {
        certified.first { $0.certificate.id == keyID && $0.certificate.isValid(at: now) }
    }

    /// When the key of this name becomes valid; nil when no such key is certified.
    package func begin(of keyID: [UInt8]) -> Instant? { certified.first { $0.certificate.id == keyID }?.certificate.notBefore }

    /// Throws unless the key that the signature names is certified, valid at `now`, and signed `message`.
    package func verify(_ signature: OperatorSignature, _ label: Label, _ message: [UInt8], at now: Instant) throws(BadSignature) {
        guard let signer = signer(signature.keyID, at: now) else { throw BadSignature() }
        try signer.key.verify(signature.ed25519, label, message)
    }
}
