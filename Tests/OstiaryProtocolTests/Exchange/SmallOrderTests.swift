import Crypto
import Foundation
import Testing

@testable import OstiaryProtocol

/// Messages that are right in every byte but for a point that makes the secret of one side count for nothing: only the list of such points stops them.
@Suite("Points of small order (protocol §4, RFC 9180 §7.1.4)")
struct SmallOrderTests {
    let server: SampleServer
    let ephemeral: EphemeralKey
    let now = SampleServer.now

    init() throws {
        server = try SampleServer(seed: 11)
        ephemeral = try EphemeralKey(using: FixedRandom(12))
    }

    private static let order8: [UInt8] = [
        0xE0, 0xEB, 0x7A, 0x7C, 0x3B, 0x41, 0xB8, 0xAE, 0x16, 0x56, 0xE3, 0xFA, 0xF1, 0x9F, 0xC4, 0x6A,
        0xDA, 0x09, 0x8D, 0xEB, 0x9C, 0x32, 0xB1, 0xFD, 0x86, 0x62, 0x05, 0x16, 0x5F, 0x49, 0xB8, 0x00,
    ]
    private static let otherOrder8: [UInt8] = [
        0x5F, 0x9C, 0x95, 0xBC, 0xA3, 0x50, 0x8C, 0x24, 0xB1, 0xD0, 0xB1, 0x55, 0x9C, 0x83, 0xEF, 0x5B,
        0x04, 0x44, 0x5C, 0xC4, 0x58, 0x1C, 0x8E, 0x86, 0xD8, 0x22, 0x4E, 0xDD, 0xD0, 0x9F, 0x11, 0x57,
    ]
    static let points = ExchangeTests.pointsOfSmallOrder + [order8, otherOrder8]

    private func plaintext(_ ephemeral: [UInt8]) -> [UInt8] { SealedRequest.freshness(ephemeral: ephemeral, at: now) + [1, 2, 3] }

    @Test("A request that nobody's key sealed is not opened, though its cipher fits", arguments: points)
    func request(_ point: [UInt8]) throws {
        let header = RequestHeader(serverTag: server.root.tag, prekeyID: server.prekeySecret.id).encoded
        let sender = ZeroSecret(encapsulated: point, recipient: server.prekeySecret.publicKey, info: Label.chan.prefix + header)
        let forged = header + point + (try sender.seal(plaintext(ephemeral.publicKey)))
        #expect(throws: ExchangeError.cannotOpen) { try OpenedRequest(forged, with: server.prekeySecret) }
    }

    @Test("A request whose ephemeral key would let anybody read the answer is refused, though it was sealed as it should be", arguments: points)
    func ephemeralKey(_ point: [UInt8]) throws {
        let header = RequestHeader(serverTag: server.root.tag, prekeyID: server.prekeySecret.id).encoded
        func request(_ ephemeral: [UInt8]) throws -> [UInt8] {
            var sender = try HPKE.Sender(
                recipientKey: server.prekeySecret.key.publicKey, ciphersuite: exchangeSuite, info: Data(Label.chan.prefix + header))
            return header + Array(sender.encapsulatedKey) + Array(try sender.seal(Data(plaintext(ephemeral))))
        }
        #expect(try OpenedRequest(request(ephemeral.publicKey), with: server.prekeySecret).message == [1, 2, 3])
        #expect(throws: ExchangeError.cannotOpen) { try OpenedRequest(request(point), with: server.prekeySecret) }
    }

    @Test("An answer that was not sealed to the phone's key is not opened, though the server signed it for this very request", arguments: points)
    func answer(_ point: [UInt8]) throws {
        let request = try SealedRequest([1], to: server.prekey.value, of: server.root, ephemeral: ephemeral, at: now)
        let header: [UInt8] = [1, 2, 1, 1]
        let unsigned: [UInt8] = [0, 0] + SealedRequest.freshness(ephemeral: [UInt8](repeating: 0, count: 32), at: now).suffix(8) + [0, 0]
        let content = unsigned + server.operatorKey.sign(.ans, request.hash + unsigned).encoded
        func sealed(_ encapsulated: [UInt8], _ secret: [UInt8]) throws -> [UInt8] {
            let derived = KDF(ikm: secret, salt: request.exported.exposed, .s2c, request.hash + encapsulated, 44)
            let box = try ChaChaPoly.seal(
                content, using: SymmetricKey(data: derived.prefix(32)), nonce: ChaChaPoly.Nonce(data: derived.suffix(12)), authenticating: header)
            return header + encapsulated + Array(box.ciphertext) + Array(box.tag)
        }
        let info = Label.resp.prefix + request.hash
        let sender = try HPKE.Sender(recipientKey: ephemeral.key.publicKey, ciphersuite: exchangeSuite, info: Data(info))
        let secret = try sender.exportSecret(context: Data("AP1/resp".utf8), outputByteCount: 32).withUnsafeBytes { Array($0) }
        let honest = try request.open(sealed(Array(sender.encapsulatedKey), secret), from: server.keys(), clock: now)
        #expect(honest.status == .ok && honest.time == now, "an answer made by hand is one")
        let nobody = ZeroSecret(encapsulated: point, recipient: ephemeral.publicKey, info: info).export("AP1/resp")
        #expect(throws: ExchangeError.cannotOpen) { try request.open(try sealed(point, nobody), from: server.keys(), clock: now) }
    }
}
