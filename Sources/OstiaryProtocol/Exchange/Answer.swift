import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An answer whose signature was checked (protocol §4). Only `SealedRequest.open` makes one.
package struct Answer: Sendable {
    package let status: Status
    /// The server's clock when it answered.
    package let time: Instant
    package let body: [UInt8]
}

/// `hdr` of an answer.
private struct AnswerHeader: WireMessage {
    static let type = MessageType.answer
    static let count = 4

    init() {}
    init(body reader: inout ByteReader) throws(WireError) {}
    func writeBody(to writer: inout ByteWriter) {}
}

/// The inside of an answer: { status u16, time u64, body v16, Sig }; the signature covers SHA(Req) and everything before it.
private struct AnswerContent: OperatorSigned {
    static let label = Label.ans

    let status: Status
    let time: Instant
    let body: [UInt8]
    var signature: OperatorSignature

    init(status: Status, time: Instant, body: [UInt8]) {
        self.status = status
        self.time = time
        self.body = body
        signature = .blank
    }

    init(from reader: inout ByteReader) throws(WireError) {
        guard let status = Status(rawValue: try reader.u16()) else { throw .badValue }
        self.status = status
        time = try reader.instant()
        body = try reader.v16()
        signature = try OperatorSignature(from: &reader)
    }

    func write(to writer: inout ByteWriter) {
        writer.u16(status.rawValue)
        writer.instant(time)
        writer.v16(body)
        signature.write(to: &writer)
    }
}

/// The key and nonce that both sides derive for one answer.
private struct AnswerSeal {
    let key: SymmetricKey
    let nonce: ChaChaPoly.Nonce

    /// key 32 || nonce 12 = KDF(ikm kr, salt kq, "s2c", SHA(Req)||enc, 44).
    init?(answerSecret: SymmetricKey, requestSecret: SecretBytes, requestHash: [UInt8], encapsulated: [UInt8]) {
        let derived = KDF(
            ikm: answerSecret.withUnsafeBytes { Array($0) }, salt: requestSecret.exposed, .s2c, requestHash + encapsulated, 44)
        guard let nonce = try? ChaChaPoly.Nonce(data: derived.suffix(12)) else { return nil }
        key = SymmetricKey(data: derived.prefix(32))
        self.nonce = nonce
    }
}

extension OpenedRequest {
    /// Seals a signed answer to the phone's ephemeral key (protocol §4).
    package func answer(_ status: Status, body: [UInt8] = [], at now: Instant, signedBy key: OperatorKey) throws(ExchangeError) -> [UInt8] {
        let header = AnswerHeader().encoded
        let content = AnswerContent(status: status, time: now, body: body)
        let unsigned = Array(content.encoded.dropLast(OperatorSignature.count))
        let signature = key.sign(.ans, hash + unsigned)
        guard let recipient = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: ephemeral),
            let sender = try? HPKE.Sender(recipientKey: recipient, ciphersuite: exchangeSuite, info: Data(Label.resp.prefix + hash)),
            let answerSecret = try? sender.exportSecret(context: Data("AP1/resp".utf8), outputByteCount: 32),
            let seal = AnswerSeal(
                answerSecret: answerSecret, requestSecret: exported, requestHash: hash, encapsulated: Array(sender.encapsulatedKey)),
            let box = try? ChaChaPoly.seal(unsigned + signature.encoded, using: seal.key, nonce: seal.nonce, authenticating: header)
        else { throw .cannotSeal }
        return header + Array(sender.encapsulatedKey) + Array(box.ciphertext) + Array(box.tag)
    }
}

extension SealedRequest {
    /// Opens and checks the answer to this request. `clock` is the phone's best idea of the time, for the validity of the server's keys.
    package func open(_ answer: [UInt8], from keys: OperatorKeys, clock: Instant) throws(ExchangeError) -> Answer {
        guard answer.count >= AnswerHeader.count + 32 + 16 else { throw .malformed(.truncated) }
        let header = Array(answer.prefix(AnswerHeader.count))
        do { _ = try AnswerHeader(decoding: header) } catch { throw .malformed(error) }
        let encapsulated = Array(answer[AnswerHeader.count..<AnswerHeader.count + 32])
        let sealed = Array(answer.dropFirst(AnswerHeader.count + 32))
        guard !SmallOrder.contains(encapsulated),
            let recipient = try? HPKE.Recipient(
                privateKey: ephemeral.key, ciphersuite: exchangeSuite, info: Data(Label.resp.prefix + hash), encapsulatedKey: Data(encapsulated)),
            let answerSecret = try? recipient.exportSecret(context: Data("AP1/resp".utf8), outputByteCount: 32),
            let seal = AnswerSeal(answerSecret: answerSecret, requestSecret: exported, requestHash: hash, encapsulated: encapsulated),
            let box = try? ChaChaPoly.SealedBox(nonce: seal.nonce, ciphertext: sealed.dropLast(16), tag: sealed.suffix(16)),
            let plaintext = try? ChaChaPoly.open(box, using: seal.key, authenticating: header)
        else { throw .cannotOpen }
        let bytes = Array(plaintext)
        let content: AnswerContent
        do { content = try AnswerContent(decoding: bytes) } catch { throw .malformed(error) }
        guard (try? keys.verify(content.signature, .ans, hash + bytes.dropLast(OperatorSignature.count), at: clock)) != nil
        else { throw .badSignature }
        return Answer(status: content.status, time: content.time, body: content.body)
    }
}
