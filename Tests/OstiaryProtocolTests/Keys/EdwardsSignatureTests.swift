import Crypto
import Testing

@testable import OstiaryProtocol

/// Signatures are made by one library and verified by another (cryptography.md, §0.5): what the one makes the other has to take, and nothing else.
@Suite("Signatures by Ed25519")
struct EdwardsSignatureTests {
    private static let neutral: [UInt8] = [1] + [UInt8](repeating: 0, count: 31)
    /// The order of the group, little-endian.
    private static let order: [UInt8] =
        [0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14]
        + [UInt8](repeating: 0, count: 15) + [0x10]

    private let random = FixedRandom(41)

    private func drawnKey() throws -> Curve25519.Signing.PrivateKey { try Curve25519.Signing.PrivateKey(rawRepresentation: random.bytes(32)) }

    private func publicKey(of key: Curve25519.Signing.PrivateKey) throws -> EdwardsPublicKey {
        try EdwardsPublicKey(Array(key.publicKey.rawRepresentation))
    }

    /// The scalar that a seed stands for (RFC 8032 §5.1.5), modulo the order.
    private func scalar(of key: Curve25519.Signing.PrivateKey) throws -> GroupScalar {
        var half = Array(VOPRF.sha512(Array(key.rawRepresentation)).prefix(32))
        half[0] &= 0xF8
        half[31] = half[31] & 0x7F | 0x40
        return try GroupScalar(wide: half + [UInt8](repeating: 0, count: 32))
    }

    @Test("What swift-crypto signs libsodium takes, of messages of any length")
    func taken() throws {
        for length in 0..<64 {
            let (key, message) = (try drawnKey(), random.bytes(length))
            let signature = edwardsSignature(key, .ans, message)
            try publicKey(of: key).verify(signature, .ans, message)
        }
    }

    @Test("A bit that is another, in the signature, the message, the key or the label, makes it none; so does a byte more or less")
    func changed() throws {
        let (key, message) = (try drawnKey(), random.bytes(40))
        let (mine, signature) = (try publicKey(of: key), edwardsSignature(key, .ans, message))
        for place in 0..<512 {
            var copy = signature
            copy[place / 8] ^= 1 << UInt8(place % 8)
            #expect(throws: BadSignature.self, "bit \(place)") { try mine.verify(copy, .ans, message) }
        }
        var other = message
        other[39] ^= 1
        #expect(throws: BadSignature.self) { try mine.verify(signature, .ans, other) }
        #expect(throws: BadSignature.self) { try mine.verify(signature, .ticket, message) }
        #expect(throws: BadSignature.self) { try publicKey(of: try drawnKey()).verify(signature, .ans, message) }
        for wrong in [Array(signature.dropLast()), signature + [0], []] {
            #expect(throws: BadSignature.self) { try mine.verify(wrong, .ans, message) }
        }
    }

    @Test("A stored key of another length verifies nothing, also where its beginning is the right key")
    func length() throws {
        let (key, message) = (try drawnKey(), random.bytes(40))
        let (mine, signature) = (try publicKey(of: key).bytes, edwardsSignature(key, .ans, message))
        try EdwardsPublicKey(stored: mine).verify(signature, .ans, message)
        for stored in [mine + [0], Array(mine.dropLast()), []] {
            #expect(throws: BadSignature.self, "\(stored.count) bytes") { try EdwardsPublicKey(stored: stored).verify(signature, .ans, message) }
        }
    }

    @Test("The same signature with the order of the group added to its second half is none: there is one of each")
    func oneOfEach() throws {
        let (key, message) = (try drawnKey(), random.bytes(40))
        var signature = edwardsSignature(key, .ans, message)
        var carry = 0
        for place in 0..<32 {
            let sum = Int(signature[32 + place]) + Int(Self.order[place]) + carry
            signature[32 + place] = UInt8(sum & 0xFF)
            carry = sum >> 8
        }
        #expect(carry == 0)
        #expect(throws: BadSignature.self) { try publicKey(of: key).verify(signature, .ans, message) }
    }

    @Test("A signature whose R is the neutral element is none: swift-crypto takes it, and who has the key can make it, but nobody who signs")
    func smallOrder() throws {
        let (key, message) = (try drawnKey(), random.bytes(40))
        let mine = try publicKey(of: key)
        let input = signatureInput(.ans, message)
        let challenge = try GroupScalar(wide: VOPRF.sha512(Self.neutral + mine.bytes + input))
        let signature = Self.neutral + challenge.multiplied(by: try scalar(of: key)).bytes
        #expect(key.publicKey.isValidSignature(signature, for: input), "the equation holds")
        #expect(throws: BadSignature.self) { try mine.verify(signature, .ans, message) }
    }

    /// The key of RFC 8032, §7.1, test 1, with the point of order 2 added (`Vectors/ed25519/mixed-order-2.json`).
    /// A libsodium that multiplies by the cofactor takes it for every message; which one this is, one of the odd challenges tells.
    @Test("Verifying takes a key of mixed order for every second message, or for all: so decoding has to refuse it")
    func mixedOrder() throws {
        let seed = try #require(Hexadecimal.bytes("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60".utf8))
        let mixed = try #require(Hexadecimal.bytes("16a567fe7d4ef5482ab4012c369bf8c5f11e8d0c2559dcda50fde59708f8aee5".utf8))
        let (owner, once) = (try Curve25519.Signing.PrivateKey(rawRepresentation: seed), try drawnKey())
        let commitment = Array(once.publicKey.rawRepresentation)
        var taken: [(isEven: Bool, isTaken: Bool)] = []
        for number in UInt8.min...UInt8.max {
            let challenge = try GroupScalar(wide: VOPRF.sha512(commitment + mixed + signatureInput(.ans, [number])))
            // S = r + c·a, for which there is a difference: r − (−c)·a.
            let negative = try GroupScalar(wide: [UInt8](repeating: 0, count: 64)).subtracting(challenge.multiplied(by: try scalar(of: owner)))
            let signature = commitment + (try scalar(of: once)).subtracting(negative).bytes
            let isTaken = (try? EdwardsPublicKey(stored: mixed).verify(signature, .ans, [number])) != nil
            taken.append((challenge.bytes[0] & 1 == 0, isTaken))
        }
        let hasCofactor = taken.contains { !$0.isEven && $0.isTaken }
        let hasEven = taken.contains { $0.isEven }
        #expect(hasEven)
        for one in taken { #expect(one.isTaken == (one.isEven || hasCofactor)) }
        #expect(throws: BadSignature.self) { try EdwardsPublicKey(mixed) }
    }
}
