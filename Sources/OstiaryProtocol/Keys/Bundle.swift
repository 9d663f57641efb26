/// What a server says of itself: identity, name, address, keys, and the second-factor server it works with (protocol §3). Not yet checked.
package struct Bundle: WireMessage, OperatorSigned {
    package static let type = MessageType.bundle
    package static let label = Label.bundle

    package let chain: ServerChain
    package let name: String
    package let url: String
    package let minimumSuite: UInt16
    /// The time of signing; how far a phone goes back is `BundleAge`'s rule.
    package let sequence: Instant
    package let prekeys: [Encoded<Prekey>]
    package let secondFactorRootHash: [UInt8]
    package let secondFactor: Encoded<SecondFactorIdentity>
    /// A change of root, for later; kept as it is.
    package let rootNext: [UInt8]
    package let extensions: Extensions
    package var signature: OperatorSignature

    package init(
        chain: ServerChain, name: String, url: String, sequence: Instant, prekeys: [Encoded<Prekey>], secondFactor: Encoded<SecondFactorIdentity>
    ) {
        self.chain = chain
        self.name = name
        self.url = url
        minimumSuite = Suite.minimum.rawValue
        self.sequence = sequence
        self.prekeys = prekeys
        secondFactorRootHash = secondFactor.value.chain.root.hash
        self.secondFactor = secondFactor
        rootNext = []
        extensions = .none
        signature = .blank
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        let root = try Root(from: &reader)
        name = try reader.text8()
        url = try reader.text8()
        minimumSuite = try reader.u16()
        sequence = try reader.instant()
        chain = ServerChain(root: root, certificates: try reader.list { reader throws(WireError) in try OperatorCertificate(from: &reader) })
        prekeys = try reader.list { reader throws(WireError) in try reader.part(Prekey.self) }
        secondFactorRootHash = try reader.fixed(32)
        secondFactor = try reader.part16()
        rootNext = try reader.v16()
        extensions = try Extensions(from: &reader)
        signature = try OperatorSignature(from: &reader)
    }

    package func writeBody(to writer: inout ByteWriter) {
        chain.root.write(to: &writer)
        writer.text8(name)
        writer.text8(url)
        writer.u16(minimumSuite)
        writer.instant(sequence)
        writer.list(chain.certificates) { writer, certificate in certificate.write(to: &writer) }
        writer.list(prekeys) { writer, prekey in writer.part(prekey) }
        writer.fixed(secondFactorRootHash, 32)
        writer.part16(secondFactor)
        writer.v16(rootNext)
        extensions.write(to: &writer)
        signature.write(to: &writer)
    }
}

/// The second-factor server's own identity and prekeys, as it publishes them and as bundles carry them.
package struct SecondFactorIdentity: WireStruct {
    package let chain: ServerChain
    package let prekeys: [Encoded<Prekey>]

    package init(chain: ServerChain, prekeys: [Encoded<Prekey>]) {
        self.chain = chain
        self.prekeys = prekeys
    }

    package init(from reader: inout ByteReader) throws(WireError) {
        chain = try ServerChain(from: &reader)
        prekeys = try reader.list { reader throws(WireError) in try reader.part(Prekey.self) }
    }

    package func write(to writer: inout ByteWriter) {
        chain.write(to: &writer)
        writer.list(prekeys) { writer, prekey in writer.part(prekey) }
    }
}

/// Why a bundle is not believed.
package enum BundleRefusal: Error, Equatable, Sendable {
    /// Another root than the pinned one, a broken chain or a signature that does not fit: the server is not who it should be.
    case wrongIdentity
    /// Much older than one that was seen before. That says that a clock is wrong, here or there, or that somebody sends an old one again; not that
    /// the server is another.
    case older
    /// The server asks for a suite that this program does not speak.
    case suiteNotSpoken
    /// No certificate is valid now, or not the one of the key that signed: the clock may be wrong.
    case outsideValidity
}

/// A bundle whose every signature leads to the pinned root. Only `verify` makes one.
package struct VerifiedBundle: Sendable {
    package let bundle: Bundle
    package let bytes: [UInt8]
    package let operatorKeys: OperatorKeys
    package let secondFactorKeys: OperatorKeys

    /// - Parameter lowest: the smallest sequence that is taken, see `BundleAge`.
    package static func verify(
        _ encoded: Encoded<Bundle>, rootHash: [UInt8], lowest: Instant = Instant(0), at now: Instant
    ) throws(BundleRefusal) -> VerifiedBundle {
        let bundle = encoded.value
        guard let keys = try? OperatorKeys.verify(bundle.chain, rootHash: rootHash) else { throw .wrongIdentity }
        guard keys.hasKey(at: now) else { throw .outsideValidity }
        guard (try? encoded.verify(with: keys, at: now)) != nil else {
            // By a key of theirs that is not valid now: a clock is wrong. Else it is a stranger's signature, or none.
            guard let begin = keys.begin(of: bundle.signature.keyID), (try? encoded.verify(with: keys, at: begin)) != nil else {
                throw .wrongIdentity
            }
            throw .outsideValidity
        }
        guard bundle.minimumSuite <= Suite.classic.rawValue else { throw .suiteNotSpoken }
        guard bundle.sequence >= lowest else { throw .older }
        let secondFactor = bundle.secondFactor.value
        guard let secondFactorKeys = try? OperatorKeys.verify(secondFactor.chain, rootHash: bundle.secondFactorRootHash) else { throw .wrongIdentity }
        guard bundle.prekeys.allSatisfy({ (try? $0.verify(with: keys, at: now)) != nil }) else { throw .wrongIdentity }
        return VerifiedBundle(bundle: bundle, bytes: encoded.bytes, operatorKeys: keys, secondFactorKeys: secondFactorKeys)
    }

    /// The newest prekey that may still be used at `now`.
    package func prekey(at now: Instant) -> Prekey? {
        bundle.prekeys.map(\.value).filter { now <= $0.notAfter }.max { $0.notAfter < $1.notAfter }
    }
}
