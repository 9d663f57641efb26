import Crypto
import Foundation
import OstiaryProtocol

/// An answer opened by the words of protocol §4 and by none of the program's own code for it, as another implementation would.
struct OtherReader {
    let prekeySecret: [UInt8]
    let ephemeralSecret: [UInt8]
    let request: [UInt8]

    struct Content: Equatable {
        let status: UInt16
        let time: UInt64
        let body: [UInt8]
        let keyID: [UInt8]
        let signature: [UInt8]
        /// SHA(Req) || status || time || body with its length.
        let signed: [UInt8]
    }

    struct Unreadable: Error {}

    private static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly

    func open(_ answer: [UInt8]) throws -> Content {
        guard answer.prefix(4) == [1, 2, 1, 1] else { throw Unreadable() }
        let hash = Array(SHA256.hash(data: request))
        let encapsulated = Array(answer[4..<36])
        let kr = try exported(
            ephemeralSecret, encapsulated, info: Array("AP1/resp".utf8) + [0] + hash, context: "AP1/resp")
        let kq = try exported(
            prekeySecret, Array(request[12..<44]), info: Array("AP1/chan".utf8) + [0] + request.prefix(12), context: "AP1/req")
        let derived = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: kr, salt: kq.withUnsafeBytes { Array($0) }, info: Array("AP1/s2c".utf8) + [0] + hash + encapsulated, outputByteCount: 44
        )
        let bytes = derived.withUnsafeBytes { Array($0) }
        let box = try ChaChaPoly.SealedBox(
            nonce: ChaChaPoly.Nonce(data: bytes.suffix(12)), ciphertext: answer[36...].dropLast(16), tag: answer.suffix(16))
        let plain = Array(try ChaChaPoly.open(box, using: SymmetricKey(data: bytes.prefix(32)), authenticating: answer.prefix(4)))
        return try content(plain, hash)
    }

    private func exported(_ secret: [UInt8], _ encapsulated: [UInt8], info: [UInt8], context: String) throws -> SymmetricKey {
        let recipient = try HPKE.Recipient(
            privateKey: Curve25519.KeyAgreement.PrivateKey(rawRepresentation: secret), ciphersuite: Self.suite, info: Data(info),
            encapsulatedKey: Data(encapsulated))
        return try recipient.exportSecret(context: Data(context.utf8), outputByteCount: 32)
    }

    private func content(_ plain: [UInt8], _ hash: [UInt8]) throws -> Content {
        let length = Int(plain[10]) << 8 | Int(plain[11])
        guard plain.count == 12 + length + 74, plain.suffix(2) == [0, 0] else { throw Unreadable() }
        return Content(
            status: UInt16(plain[0]) << 8 | UInt16(plain[1]), time: plain[2..<10].reduce(0) { $0 << 8 | UInt64($1) },
            body: Array(plain[12..<12 + length]), keyID: Array(plain[12 + length..<20 + length]),
            signature: Array(plain[20 + length..<84 + length]), signed: hash + plain.prefix(12 + length))
    }
}
