import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

let exchangeSuite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly

/// The open front of a sealed request: which server and which prekey it is for (protocol §4).
package struct RequestHeader: WireMessage {
    package static let type = MessageType.request
    static let count = 12
    /// hdr, an X25519 point, and the tag of the cipher around ephPk and ts.
    static let smallestRequest = count + 32 + 32 + 8 + 16

    package let serverTag: [UInt8]
    package let prekeyID: UInt32

    package init(serverTag: [UInt8], prekeyID: UInt32) {
        self.serverTag = serverTag
        self.prekeyID = prekeyID
    }

    package init(body reader: inout ByteReader) throws(WireError) {
        serverTag = try reader.fixed(4)
        prekeyID = try reader.u32()
    }

    package func writeBody(to writer: inout ByteWriter) {
        writer.fixed(serverTag, 4)
        writer.u32(prekeyID)
    }

    /// The header of a request, before anything is opened.
    package init(of request: [UInt8]) throws(WireError) {
        guard request.count >= Self.smallestRequest else { throw .truncated }
        try self.init(decoding: Array(request.prefix(Self.count)))
    }
}

/// A request as the phone sends it, with what is needed to open its answer.
package struct SealedRequest: Sendable {
    package let bytes: [UInt8]
    /// SHA(Req), which names this request in hashes.
    package let hash: [UInt8]
    package let sentAt: Instant
    let ephemeral: EphemeralKey
    let exported: SecretBytes

    /// Seals `message` to a prekey (protocol §4): Req = hdr || enc || ct, pt = { ephPk, ts, msg }.
    package init(
        _ message: [UInt8], to prekey: Prekey, of root: Root, ephemeral: EphemeralKey, at now: Instant
    ) throws(ExchangeError) {
        let header = RequestHeader(serverTag: root.tag, prekeyID: prekey.id).encoded
        var plaintext = ByteWriter()
        plaintext.fixed(ephemeral.publicKey, 32)
        plaintext.instant(now)
        plaintext.raw(message)
        guard !SmallOrder.contains(prekey.publicKey),
            let recipient = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: prekey.publicKey),
            var sender = try? HPKE.Sender(recipientKey: recipient, ciphersuite: exchangeSuite, info: Data(Label.chan.prefix + header)),
            let ciphertext = try? sender.seal(Data(plaintext.bytes)),
            let exported = try? sender.exportSecret(context: Data("AP1/req".utf8), outputByteCount: 32)
        else { throw .cannotSeal }
        bytes = header + Array(sender.encapsulatedKey) + Array(ciphertext)
        hash = SHA(bytes)
        sentAt = now
        self.ephemeral = ephemeral
        self.exported = SecretBytes(exported.withUnsafeBytes { Array($0) })
    }

    /// `ephPk||ts`, which messages with a fresh ephemeral key sign (protocol §2, exception 2).
    package static func freshness(ephemeral: [UInt8], at sentAt: Instant) -> [UInt8] {
        var writer = ByteWriter()
        writer.fixed(ephemeral, 32)
        writer.instant(sentAt)
        return writer.bytes
    }
}

/// A request after a server opened it. Nothing in it is authenticated yet but by the signatures inside the message.
package struct OpenedRequest: Sendable {
    /// SHA(Req).
    package let hash: [UInt8]
    package let ephemeral: [UInt8]
    package let sentAt: Instant
    package let message: [UInt8]
    let exported: SecretBytes

    /// `ephPk||ts` of this request.
    package var freshness: [UInt8] { SealedRequest.freshness(ephemeral: ephemeral, at: sentAt) }
    /// SHA(Req)[0..16], unique among the requests that had an effect (protocol §4).
    package var replayKey: [UInt8] { Array(hash.prefix(16)) }

    package init(_ request: [UInt8], with prekey: PrekeySecret) throws(ExchangeError) {
        let header: RequestHeader
        do { header = try RequestHeader(of: request) } catch { throw .malformed(error) }
        guard header.prekeyID == prekey.id else { throw .cannotOpen }
        let prefix = request.prefix(RequestHeader.count)
        let encapsulated = request[RequestHeader.count..<RequestHeader.count + 32]
        guard !SmallOrder.contains(Array(encapsulated)),
            var recipient = try? HPKE.Recipient(
                privateKey: prekey.key, ciphersuite: exchangeSuite, info: Data(Label.chan.prefix + prefix), encapsulatedKey: Data(encapsulated)),
            let plaintext = try? recipient.open(Data(request.dropFirst(RequestHeader.count + 32))),
            let exported = try? recipient.exportSecret(context: Data("AP1/req".utf8), outputByteCount: 32)
        else { throw .cannotOpen }
        var reader = ByteReader(Array(plaintext))
        do {
            ephemeral = try reader.fixed(32)
            sentAt = try reader.instant()
            message = try reader.fixed(reader.remaining)
        } catch { throw .malformed(error) }
        guard !SmallOrder.contains(ephemeral) else { throw .cannotOpen }
        self.exported = SecretBytes(exported.withUnsafeBytes { Array($0) })
        hash = SHA(request)
    }
}
