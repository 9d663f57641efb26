import Foundation
import OstiaryProtocol
import Testing

/// `Vectors/exchange/*.json`: a sealed request and its answer with the secrets that open them, so that another implementation can check
/// its receiving halves. Sealing draws its own randomness, so the sending halves are checked by opening.
struct ExchangeVector: Codable {
    let prekeySecret: String
    let prekeyID: UInt32
    let root: String
    let chain: String
    let time: UInt64
    let request: String
    let message: String
    let requestHash: String
    let ephemeral: String
}

@Suite("Vectors/exchange")
struct ExchangeVectorTests {
    static let file = "exchange/request.json"

    @Test("The request opens to the stated message, and any prekey but its own opens nothing")
    func read() throws {
        let vector = try VectorFiles.read(ExchangeVector.self, Self.file)
        let secret = try PrekeySecret(id: vector.prekeyID, secret: VectorFiles.bytes(vector.prekeySecret))
        let opened = try OpenedRequest(VectorFiles.bytes(vector.request), with: secret)
        #expect(VectorFiles.hex(opened.message) == vector.message)
        #expect(VectorFiles.hex(opened.hash) == vector.requestHash)
        #expect(VectorFiles.hex(opened.ephemeral) == vector.ephemeral)
        #expect(opened.sentAt == Instant(vector.time))
        let root = try Root(decoding: VectorFiles.bytes(vector.root))
        #expect(throws: Never.self) {
            try OperatorKeys.verify(ServerChain(decoding: VectorFiles.bytes(vector.chain)), rootHash: root.hash)
        }
        let other = try PrekeySecret(id: vector.prekeyID, secret: FixedRandom(1).bytes(32))
        #expect(throws: ExchangeError.cannotOpen) { try OpenedRequest(VectorFiles.bytes(vector.request), with: other) }
    }

    /// The file, with a key that HPKE draws.
    static func made() throws -> ExchangeVector {
        let server = try SampleServer(seed: 77)
        let secret = FixedRandom(78).bytes(32)
        let prekey = try PrekeySecret(id: 9, secret: secret).published(until: SampleServer.now + 86_400, signedBy: server.operatorKey)
        let ephemeral = try EphemeralKey(using: FixedRandom(79))
        let request = try SealedRequest(
            Array("a message".utf8), to: prekey.value, of: server.root, ephemeral: ephemeral, at: SampleServer.now)
        return ExchangeVector(
            prekeySecret: VectorFiles.hex(secret), prekeyID: 9, root: VectorFiles.hex(server.root.encoded),
            chain: VectorFiles.hex(server.chain.encoded), time: SampleServer.now.seconds, request: VectorFiles.hex(request.bytes),
            message: VectorFiles.hex(Array("a message".utf8)), requestHash: VectorFiles.hex(request.hash),
            ephemeral: VectorFiles.hex(ephemeral.publicKey))
    }
}
