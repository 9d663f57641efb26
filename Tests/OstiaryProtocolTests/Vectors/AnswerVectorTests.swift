import Crypto
import Foundation
import OstiaryProtocol
import Testing

/// `Vectors/exchange/answer.json`: a request and its answer with the secrets of both ends.
struct AnswerVector: Codable {
    let prekeySecret: String
    let prekeyID: UInt32
    let ephemeralSecret: String
    let root: String
    let chain: String
    let request: String
    let answer: String
    let status: UInt16
    let time: UInt64
    let body: String
}

/// Both halves of an answer are made by one program, so that a mistake in what they share would go unnoticed: here each half is held against bytes
/// that were written down before, and against a reader that shares nothing.
@Suite("Vectors/exchange: an answer")
struct AnswerVectorTests {
    static let file = "exchange/answer.json"

    private func check(_ content: OtherReader.Content, _ chain: ServerChain) throws {
        let certificate = try #require(chain.certificates.first { $0.id == content.keyID })
        let input = Array("AP1/ans".utf8) + [0] + SHA256.hash(data: content.signed)
        let key = try Curve25519.Signing.PublicKey(rawRepresentation: certificate.ed25519)
        #expect(key.isValidSignature(content.signature, for: input))
    }

    @Test("The answer that was written down opens to the stated status, time and body")
    func read() throws {
        let vector = try VectorFiles.read(AnswerVector.self, Self.file)
        let reader = OtherReader(
            prekeySecret: VectorFiles.bytes(vector.prekeySecret), ephemeralSecret: VectorFiles.bytes(vector.ephemeralSecret),
            request: VectorFiles.bytes(vector.request))
        let content = try reader.open(VectorFiles.bytes(vector.answer))
        #expect(content.status == vector.status && content.time == vector.time && VectorFiles.hex(content.body) == vector.body)
        try check(content, try ServerChain(decoding: VectorFiles.bytes(vector.chain)))
        // The other half of the exchange: the request that was written down is answered so that the other reader understands it.
        let prekey = try PrekeySecret(id: vector.prekeyID, secret: reader.prekeySecret)
        let key = try SampleServer(seed: 81).operatorKey
        let fresh = try OpenedRequest(reader.request, with: prekey).answer(.busy, body: [7, 8], at: Instant(99), signedBy: key)
        let again = try reader.open(fresh)
        #expect(again.status == Status.busy.rawValue && again.time == 99 && again.body == [7, 8])
        try check(again, try SampleServer(seed: 81).chain)
    }

    @Test("An answer to another request opens to nobody, and an old one to a new request of the same phone neither")
    func otherRequest() throws {
        let server = try SampleServer(seed: 81)
        let ephemeral = try EphemeralKey(using: FixedRandom(82))
        func request() throws -> SealedRequest {
            try SealedRequest([1], to: server.prekey.value, of: server.root, ephemeral: ephemeral, at: SampleServer.now)
        }
        let (old, new) = (try request(), try request())
        let answer = try OpenedRequest(old.bytes, with: server.prekeySecret).answer(.ok, at: SampleServer.now, signedBy: server.operatorKey)
        #expect(try old.open(answer, from: server.keys(), clock: SampleServer.now).status == .ok)
        #expect(throws: ExchangeError.cannotOpen) { try new.open(answer, from: server.keys(), clock: SampleServer.now) }
    }

    /// The file, with the keys that HPKE draws.
    static func made() throws -> AnswerVector {
        let server = try SampleServer(seed: 81)
        let secret = FixedRandom(83).bytes(32)
        let prekey = try PrekeySecret(id: 11, secret: secret)
        let published = prekey.published(until: SampleServer.now + 86_400, signedBy: server.operatorKey)
        let ephemeral = try EphemeralKey(using: FixedRandom(82))
        let request = try SealedRequest(Array("a question".utf8), to: published.value, of: server.root, ephemeral: ephemeral, at: SampleServer.now)
        let body = Array("an answer".utf8)
        let answer = try OpenedRequest(request.bytes, with: prekey).answer(
            .ok, body: body, at: SampleServer.now + 1, signedBy: server.operatorKey)
        return AnswerVector(
            prekeySecret: VectorFiles.hex(secret), prekeyID: 11, ephemeralSecret: VectorFiles.hex(FixedRandom(82).bytes(32)),
            root: VectorFiles.hex(server.root.encoded), chain: VectorFiles.hex(server.chain.encoded), request: VectorFiles.hex(request.bytes),
            answer: VectorFiles.hex(answer), status: 0, time: SampleServer.now.seconds + 1, body: VectorFiles.hex(body))
    }
}
