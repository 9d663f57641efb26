import Crypto
import Testing

@testable import OstiaryProtocol

@Suite("Public keys of Ed25519 (protocol §0.5)")
struct EdwardsKeyTests {
    static let folder = VectorFolder("ed25519")
    static let neutral: [UInt8] = [1] + [UInt8](repeating: 0, count: 31)
    /// Under the neutral element it fits every message, and nobody made it.
    static let constant = neutral + [UInt8](repeating: 0, count: 32)

    @Test("Every scenario of Vectors/ed25519 comes out as written", arguments: folder.names)
    func scenario(name: String) throws {
        try Self.folder.check(name) { given in
            ((try? EdwardsPublicKey(try given.bytes("bytes"))) == nil ? .malformed : .ok, [:])
        }
    }

    @Test("No file was lost")
    func complete() { #expect(Self.folder.names.count == 13) }

    @Test(
        "That a point is of prime order is seen beside libsodium's own look, which took one with the point of order 2 added",
        arguments: ["valid", "mixed-order-2", "mixed-order-8"])
    func primeOrder(name: String) throws {
        try Self.folder.check(name) { given in (EdwardsPublicKey.isOfPrimeOrder(try given.bytes("bytes")) ? .ok : .malformed, [:]) }
    }

    @Test("The point by which libsodium is tried is of twice the prime order, and on this machine both looks refuse it")
    func triedPoint() {
        let key = EdwardsPublicKey.mixedOrder
        #expect(!EdwardsPublicKey.isOfPrimeOrder(key))
        #expect(throws: BadSignature.self) { try EdwardsPublicKey(key) }
        // Without its point of order 2 it is the base point: y negated, the other x.
        #expect(EdwardsPublicKey.isOfPrimeOrder([0x58] + [UInt8](repeating: 0x66, count: 31)))
    }

    @Test("Under the neutral element one signature would fit every message: decoding refuses it, and verifying, too, where it was stored")
    func neutralKey() throws {
        let key = EdwardsPublicKey(stored: Self.neutral)
        for message in [[], [1], [2, 3]] as [[UInt8]] {
            #expect(throws: BadSignature.self) { try key.verify(Self.constant, .secondFactorSet, message) }
        }
        #expect(throws: BadSignature.self) { try EdwardsPublicKey(Self.neutral) }
    }

    @Test("A root or an operational key under which anybody's signature is right is no identity")
    func chains() throws {
        let server = try SampleServer(seed: 5)
        func certificate(_ key: [UInt8], signedBy sign: ([UInt8]) -> [UInt8]) -> OperatorCertificate {
            func made(_ signature: [UInt8]) -> OperatorCertificate {
                OperatorCertificate(
                    id: Array(H(.op, key).prefix(8)), ed25519: key, notBefore: SampleServer.now - 60, notAfter: SampleServer.now + 60,
                    signature: signature)
            }
            return made(sign(made(blankDeviceSignature).signedBytes))
        }
        func isRefused(_ root: Root, _ certificate: OperatorCertificate) -> Bool {
            (try? OperatorKeys.verify(ServerChain(root: root, certificates: [certificate]), rootHash: root.hash)) == nil
        }
        let honest = Curve25519.Signing.PrivateKey()
        let root = Root(ed25519: Array(honest.publicKey.rawRepresentation), serverID: server.root.serverID)
        let byRoot = { (bytes: [UInt8]) in edwardsSignature(honest, .op, bytes) }
        #expect(!isRefused(root, certificate(server.operatorKey.publicKey, signedBy: byRoot)))
        #expect(isRefused(root, certificate(Self.neutral, signedBy: byRoot)))
        let nobody = Root(ed25519: Self.neutral, serverID: server.root.serverID)
        #expect(isRefused(nobody, certificate(server.operatorKey.publicKey) { _ in Self.constant }))
    }
}
