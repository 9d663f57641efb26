import Crypto
import OstiaryProtocol
import Testing

@Suite("Server identity (protocol §3)")
struct IdentityTests {
    let samples: Samples
    let now = SampleServer.now

    init() throws { samples = try Samples() }

    private func verify(_ bundle: Encoded<Bundle>, lowest: Instant = Instant(0), at time: Instant? = nil) throws -> VerifiedBundle {
        try VerifiedBundle.verify(bundle, rootHash: samples.server.root.hash, lowest: lowest, at: time ?? now)
    }

    @Test("A bundle that leads to the pinned root is believed")
    func honest() throws {
        let verified = try verify(samples.bundle())
        #expect(verified.bundle.name == "Hallway")
        #expect(verified.prekey(at: now)?.id == 7)
        #expect(verified.prekey(at: now + 86_401) == nil)
        #expect(verified.secondFactorKeys.root == samples.secondFactor.root)
    }

    @Test("Any flipped bit of a bundle is refused")
    func tampered() throws {
        let bytes = samples.bundle().bytes
        for index in bytes.indices {
            var copy = bytes
            copy[index] ^= 4
            #expect(throws: (any Error).self) { try verify(Encoded(decoding: copy)) }
        }
    }

    @Test("A bundle of another root is another server")
    func otherRoot() {
        #expect(throws: BundleRefusal.wrongIdentity) {
            try VerifiedBundle.verify(samples.bundle(), rootHash: samples.secondFactor.root.hash, at: now)
        }
    }

    @Test("A bundle below the lowest sequence is refused as old, not as another server's; the lowest itself is not")
    func older() throws {
        #expect(throws: BundleRefusal.older) { try verify(samples.bundle(), lowest: now + 1) }
        #expect(throws: Never.self) { try verify(samples.bundle(), lowest: now) }
    }

    @Test("How old a bundle may be: six hours below what was seen, and what was seen counts as no later than any clock")
    func age() {
        let (hour, day): (UInt64, UInt64) = (3_600, 86_400)
        func lowest(_ seen: Instant, _ clocks: Instant...) -> Instant { BundleAge.lowest(after: seen, clocks: clocks) }
        #expect(lowest(now - hour, now, now) == now - 7 * hour)
        #expect(lowest(now + 10 * day, now, now) == now - 6 * hour, "the server's clock ran ahead, and is right again")
        #expect(lowest(now + 10 * day, now, now + 10 * day) == now - 6 * hour, "the phone followed it meanwhile")
        #expect(lowest(now, now, now - 10 * day) == now - 10 * day - 6 * hour, "it signed that its clock is behind")
        #expect(lowest(now, now - 10 * day, now - 10 * day) == now - 10 * day - 6 * hour, "the phone's own clock is behind")
        #expect(lowest(now, now + 10 * day, now) == now - 6 * hour, "the phone's own clock runs ahead")
        #expect(lowest(Instant(5), Instant(5)) == Instant(0))
    }

    @Test("What counts as seen never goes down by bundles that are a little older, one after the other; only what no clock has reached yet does")
    func noRatchet() {
        let (hour, day): (UInt64, UInt64) = (3_600, 86_400)
        var seen = now
        for _ in 0..<20 {
            let lowest = BundleAge.lowest(after: seen, clocks: [now + hour])
            seen = BundleAge.seen(lowest, after: seen, clocks: [now + hour])
        }
        #expect(seen == now)
        #expect(BundleAge.seen(now + 5, after: now + 10 * day, clocks: [now, now + 10 * day]) == now + 5)
    }

    @Test(
        "A bundle signed by a certified key whose time has not come says that a clock is wrong; by a key that nobody certified, that it is a stranger"
    )
    func earlyKey() throws {
        let server = samples.server
        let next = try OperatorKey(seed: [UInt8](repeating: 9, count: 32))
        let early = server.rootKey.certify(next, from: now + 86_400, until: now + 2 * 86_400)
        func bundle(_ certificates: [OperatorCertificate], signedBy key: OperatorKey) -> Encoded<Bundle> {
            let value = samples.bundle().value
            return Encoded(
                Bundle(
                    chain: ServerChain(root: server.rootKey.root, certificates: certificates), name: value.name, url: value.url, sequence: now,
                    prekeys: value.prekeys, secondFactor: value.secondFactor), signedBy: key)
        }
        let both = [server.certificate, early]
        #expect(throws: Never.self) { try verify(bundle(both, signedBy: server.operatorKey)) }
        #expect(throws: BundleRefusal.outsideValidity) { try verify(bundle(both, signedBy: next)) }
        #expect(throws: BundleRefusal.wrongIdentity) { try verify(bundle([server.certificate], signedBy: next)) }
        var forged = bundle(both, signedBy: next).bytes
        forged[forged.count - 3] ^= 1
        #expect(throws: BundleRefusal.wrongIdentity) { try verify(try Encoded(decoding: forged)) }
    }

    @Test("Outside every certificate's time the clock is suspected, not the server")
    func clock() {
        #expect(throws: BundleRefusal.outsideValidity) { try verify(samples.bundle(), at: Instant(5)) }
        // Nor is anything said of signatures that no key of that time could have made.
        var forged = samples.bundle().bytes
        forged[forged.count - 3] ^= 1
        #expect(throws: BundleRefusal.outsideValidity) { try verify(try Encoded(decoding: forged), at: Instant(5)) }
    }

    @Test(
        "A bundle that asks for a suite above the one that is spoken is refused as that, however well it is signed",
        arguments: [0x0102, 0x0201, 0xFFFF] as [UInt16])
    func suite(_ suite: UInt16) throws {
        let honest = samples.bundle().value
        // minSuite stands behind header, root, name and url.
        let place = 4 + honest.chain.root.encoded.count + 1 + honest.name.utf8.count + 1 + honest.url.utf8.count
        var bytes = honest.encoded
        bytes.replaceSubrange(place..<place + 2, with: [UInt8(suite >> 8), UInt8(suite & 0xFF)])
        let asking = Encoded(try Bundle(decoding: bytes), signedBy: samples.server.operatorKey)
        #expect(asking.value.minimumSuite == suite)
        #expect(throws: BundleRefusal.suiteNotSpoken) { try verify(asking) }
    }

    @Test("A prekey of another length than an X25519 key's is no prekey", arguments: [0, 31, 33] as [Int])
    func prekeyLength(_ count: Int) throws {
        let honest = samples.server.prekey.bytes
        // id u32, suite u16, then the key with its length.
        let bytes = Array(honest.prefix(6)) + [0, UInt8(count)] + [UInt8](repeating: 5, count: count) + honest.dropFirst(6 + 2 + 32)
        #expect(throws: WireError.badLength) { try Prekey(decoding: bytes) }
    }

    @Test("A prekey that another server signed is refused")
    func foreignPrekey() throws {
        let identity = Encoded(SecondFactorIdentity(chain: samples.secondFactor.chain, prekeys: [samples.secondFactor.prekey]))
        let bundle = Encoded(
            Bundle(
                chain: samples.server.chain, name: "Hallway", url: "https://door.example", sequence: now, prekeys: [samples.secondFactor.prekey],
                secondFactor: identity), signedBy: samples.server.operatorKey)
        #expect(throws: BundleRefusal.wrongIdentity) { try verify(bundle) }
    }

    @Test("A certificate that the root did not sign makes the whole chain worthless")
    func forgedCertificate() throws {
        let thief = try SampleServer(seed: 40)
        let chain = ServerChain(root: samples.server.root, certificates: [samples.server.certificate, thief.certificate])
        #expect(throws: BadSignature.self) { try OperatorKeys.verify(chain, rootHash: samples.server.root.hash) }
    }

    @Test("A device signature covers every byte before it, and the freshness it was made with")
    func deviceSignature() throws {
        let key = try DevicePublicKey(samples.device.publicKey)
        let ping = try Encoded(
            Ping(sessionID: samples.session, hold: 0), freshness: [1, 2, 3], signedBy: samples.device.sign)
        #expect(throws: Never.self) { try ping.verify(by: key, freshness: [1, 2, 3]) }
        #expect(throws: BadSignature.self) { try ping.verify(by: key, freshness: [1, 2, 4]) }
        for index in 0..<ping.bytes.count {
            var copy = ping.bytes
            copy[index] ^= 1
            #expect(throws: (any Error).self) { try Encoded<Ping>(decoding: copy).verify(by: key, freshness: [1, 2, 3]) }
        }
    }

    @Test("A signature under one label is worth nothing under another")
    func labels() throws {
        let key = try DevicePublicKey(samples.device.publicKey)
        let signature = try samples.device.sign(signatureInput(.devPing, [1]))
        #expect(throws: Never.self) { try key.verify(signature, .devPing, [1]) }
        #expect(throws: BadSignature.self) { try key.verify(signature, .devStop, [1]) }
    }

    @Test("A DER signature and a key that is not a point are refused")
    func shapes() throws {
        let key = try DevicePublicKey(samples.device.publicKey)
        let der = Array(try samples.device.key.signature(for: signatureInput(.devPing, [1])).derRepresentation)
        #expect(throws: BadSignature.self) { try key.verify(der, .devPing, [1]) }
        #expect(throws: BadSignature.self) { try DevicePublicKey([4] + [UInt8](repeating: 7, count: 64)) }
        #expect(throws: BadSignature.self) { try DevicePublicKey([UInt8](repeating: 0, count: 65)) }
        #expect(throws: BadSignature.self) { try EdwardsPublicKey([1, 2]) }
    }

    @Test("A device key has one encoding: the same point compressed, padded, or in the form of both is refused")
    func oneEncoding() throws {
        let point = samples.device.publicKey
        let parity = point[64] & 1
        let compressed: [UInt8] = [2 + parity] + Array(point[1...32])
        let hybrid: [UInt8] = [6 + parity] + Array(point.dropFirst())
        let padded = compressed + [UInt8](repeating: 0, count: 32)
        let others: [[UInt8]] = [compressed, padded, hybrid, point + [0], Array(point.dropFirst())]
        #expect(throws: Never.self) { try DevicePublicKey(point) }
        for other in others { #expect(throws: BadSignature.self) { try DevicePublicKey(other) } }
    }

    @Test("Labels are distinct, and none is the beginning of another with its closing zero")
    func distinctLabels() {
        let prefixes = Label.allCases.map(\.prefix)
        #expect(Set(prefixes).count == Label.allCases.count)
        for one in prefixes { #expect(prefixes.filter { $0.starts(with: one) }.count == 1) }
    }

    @Test("Private keys print nothing of themselves")
    func printing() throws {
        #expect("\(samples.server.operatorKey)".contains("‹secret›"))
        #expect("\(samples.server.prekeySecret)".contains("‹secret›"))
        #expect("\(samples.server.rootKey)".contains("‹secret›"))
        #expect("\(try EphemeralKey(using: FixedRandom(1)))".contains("‹secret›"))
    }
}
