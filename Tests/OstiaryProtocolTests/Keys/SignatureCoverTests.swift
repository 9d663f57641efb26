import Crypto
import Testing

@testable import OstiaryProtocol

/// What a signature covers, byte by byte, whatever the decoder would say to the change (protocol §2, Signature rule).
@Suite("What signatures cover")
struct SignatureCoverTests {
    let samples: Samples
    let now = SampleServer.now

    init() throws { samples = try Samples() }

    /// One changed bit in each byte, with where it is.
    private func changes(_ bytes: [UInt8]) -> [(place: Int, bytes: [UInt8])] {
        bytes.indices.map { place in
            var copy = bytes
            copy[place] ^= 1 << UInt8(place % 8)
            return (place, copy)
        }
    }

    private func check<Value: OperatorSigned>(_ signed: Encoded<Value>, by server: SampleServer) throws {
        let keys = try server.keys()
        try signed.verify(with: keys, at: now)
        let unsigned = Array(signed.bytes.dropLast(OperatorSignature.count))
        for change in changes(unsigned) {
            let changed = Encoded(value: signed.value, bytes: change.bytes + signed.bytes.suffix(OperatorSignature.count))
            #expect(throws: BadSignature.self, "byte \(change.place) of \(Value.self)") { try changed.verify(with: keys, at: now) }
        }
        for other in [Array(unsigned.dropLast()), unsigned + [0], Array(unsigned.dropFirst())] {
            let changed = Encoded(value: signed.value, bytes: other + signed.bytes.suffix(OperatorSignature.count))
            #expect(throws: BadSignature.self, "\(Value.self) of another length") { try changed.verify(with: keys, at: now) }
        }
    }

    private func check<Value: DeviceSigned>(_ value: Value, freshness: [UInt8] = []) throws {
        let key = try DevicePublicKey(samples.device.publicKey)
        let signed = try Encoded(value, freshness: freshness, signedBy: samples.device.sign)
        try signed.verify(by: key, freshness: freshness)
        for change in changes(signed.unsignedBytes) {
            let changed = Encoded(value: signed.value, bytes: change.bytes + signed.value.deviceSignature)
            #expect(throws: BadSignature.self, "byte \(change.place) of \(Value.self)") { try changed.verify(by: key, freshness: freshness) }
        }
        for change in changes(freshness) {
            #expect(throws: BadSignature.self, "byte \(change.place) of ephPk || ts") { try signed.verify(by: key, freshness: change.bytes) }
        }
        if !freshness.isEmpty { #expect(throws: BadSignature.self) { try signed.verify(by: key) } }
    }

    @Test("Of what a server signs every byte counts, from the header to the last before the signature")
    func operational() throws {
        let (server, secondFactor) = (samples.server, samples.secondFactor)
        let (id, instance) = (server.root.serverID, samples.instance)
        try check(server.prekey, by: server)
        try check(samples.bundle(), by: server)
        try check(try samples.ticket(), by: server)
        try check(samples.proof(), by: server)
        try check(try samples.biometricProof(), by: server)
        try check(Encoded(Close(serverID: id, instanceID: instance, time: now), signedBy: server.operatorKey), by: server)
        try check(Encoded(Reset(serverID: id, instanceID: instance, time: now), signedBy: server.operatorKey), by: server)
        let leave = Leave(serverID: id, instanceID: instance, deviceKey: samples.device.publicKey, time: now)
        try check(Encoded(leave, signedBy: server.operatorKey), by: server)
        try check(Encoded(Tombstone(accountID: samples.account, time: now), signedBy: server.operatorKey), by: server)
        try check(Encoded(Probe(serverID: id, nonce: samples.bytes(16), time: now), signedBy: server.operatorKey), by: server)
        try check(samples.receipt(), by: secondFactor)
        let answer = SecondFactorAnswer(
            attemptID: samples.attemptID, status: .ok, highest: 5, epoch: 1, tries: samples.tries, sealed: samples.bytes(20),
            receipt: samples.receipt())
        try check(Encoded(answer, signedBy: secondFactor.operatorKey), by: secondFactor)
    }

    @Test("Of what a phone signs every byte counts, values that are signatures themselves, and the freshness where there is one")
    func device() throws {
        let fresh = samples.bytes(40)
        try check(try samples.attempt().value)
        try check(try samples.e3().value)
        try check(try samples.l5().value)
        try check(try samples.l7(.gaveUp).value)
        try check(try samples.biometricL5().value)
        try check(try samples.appL5().value)
        try check(Delete(accountID: samples.account, time: now))
        try check(try samples.m3().value, freshness: fresh)
        try check(L1(appLoginOf: samples.account, clientInfo: "Door 1.0"), freshness: fresh)
        try check(W1(accountID: samples.account, hold: 25), freshness: fresh)
        try check(Ping(sessionID: samples.session, hold: 25), freshness: fresh)
        try check(Fetch(accountID: samples.account), freshness: fresh)
        try check(Verification(accountID: samples.account, uri: "https://door.example/device?user_code=BCDF-GHJK"), freshness: fresh)
        try check(Stop(sessionID: samples.session, reason: .user), freshness: fresh)
        try check(GetToken(sessionID: samples.session, callID: try #require(CallID(samples.bytes(16)))), freshness: fresh)
        let question = GetData(accountID: samples.account, callID: try #require(CallID(samples.bytes(16))), payload: samples.bytes(9))
        try check(try #require(question), freshness: fresh)
    }

    @Test("Of a certificate every byte counts")
    func certificate() throws {
        let server = samples.server
        for place in 0..<(server.certificate.encoded.count - 2) {
            var copy = server.certificate.encoded
            copy[place] ^= 1
            guard let changed = try? OperatorCertificate(decoding: copy) else { continue }
            #expect(throws: BadSignature.self, "byte \(place)") {
                try OperatorKeys.verify(ServerChain(root: server.root, certificates: [changed]), rootHash: server.root.hash)
            }
        }
        #expect(server.certificate.encoded.count == server.certificate.signedBytes.count + 66)
    }

    @Test("A certificate under another id than that of its key is refused, even if the root signed it: two keys must not have one name")
    func certificateID() throws {
        let seed = samples.bytes(32)
        let root = try RootKey(seed: seed, serverID: samples.server.root.serverID).root
        let key = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
        func certificate(_ id: [UInt8]) -> OperatorCertificate {
            let (publicKey, from, until) = (samples.server.operatorKey.publicKey, now - 60, now + 60)
            let unsigned = OperatorCertificate(id: id, ed25519: publicKey, notBefore: from, notAfter: until, signature: blankDeviceSignature)
            return OperatorCertificate(
                id: id, ed25519: publicKey, notBefore: from, notAfter: until, signature: edwardsSignature(key, .op, unsigned.signedBytes))
        }
        func verify(_ id: [UInt8]) throws {
            _ = try OperatorKeys.verify(ServerChain(root: root, certificates: [certificate(id)]), rootHash: root.hash)
        }
        try verify(samples.server.operatorKey.id)
        #expect(throws: BadSignature.self) { try verify([1, 2, 3, 4, 5, 6, 7, 8]) }
    }

    @Test("A certificate is asked for its time, both ends included; a signature by a key outside it is none")
    func validity() throws {
        let server = samples.server
        let tombstone = Encoded(Tombstone(accountID: samples.account, time: now), signedBy: server.operatorKey)
        let keys = try server.keys()
        for moment in [server.certificate.notBefore, server.certificate.notAfter] { try tombstone.verify(with: keys, at: moment) }
        for moment in [server.certificate.notBefore - 1, server.certificate.notAfter + 1] {
            #expect(throws: BadSignature.self) { try tombstone.verify(with: keys, at: moment) }
            #expect(!keys.hasKey(at: moment))
        }
    }

    @Test("A signature under the label of one structure is none for another of the same bytes")
    func labels() throws {
        let server = samples.server
        let close = Close(serverID: server.root.serverID, instanceID: samples.instance, time: now)
        let unsigned = Array(close.encoded.dropLast(OperatorSignature.count))
        var forged = close
        forged.signature = server.operatorKey.sign(.reset, unsigned)
        #expect(throws: BadSignature.self) { try Encoded(forged).verify(with: server.keys(), at: now) }
    }
}
