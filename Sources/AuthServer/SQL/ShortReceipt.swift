import Authentication
import OstiaryProtocol

/// What the row of an instance says besides its receipts, as far as they say it again: a short form leaves it out.
struct ReceiptSurroundings: Sendable {
    let instance: InstanceID
    let server: ServerID
    /// The attempt that was evaluated last, which is mostly that of the newest receipt.
    let attempt: AttemptID?
    /// The second-factor key of each epoch.
    let keys: [UInt32: [UInt8]]

    init(instance: InstanceID, server: ServerID, attempt: AttemptID?, epochs: [Instance.Epoch]) {
        self.instance = instance
        self.server = server
        self.attempt = attempt
        keys = Dictionary(epochs.map { ($0.number, $0.secondFactorKey) }, uniquingKeysWith: { first, _ in first })
    }

    init(of instance: Instance) {
        self.init(instance: instance.id, server: instance.server, attempt: instance.evaluated?.id, epochs: instance.epochs)
    }
}

/// The short form of a receipt in a row (docs/decisions/0068): 147 bytes in the place of 254. What the row says stands in it only where the receipt says
/// something else; a number takes as many bytes as it needs. The hashes and the signature are as they are: nobody else has them.
///
///     u8 0x81, u8 marks, u8 context, u8 method, n epoch, n sequence, n issuedAt, [n lastPIN], [n withoutPIN], [attemptID 16],
///     sessionHash 32, [secondFactorKey 32], signaturesHash 32, keyID 8, ed25519 64
enum ShortReceipt {
    /// The first byte. A receipt itself begins with the version of the protocol, of which there are few.
    static let version: UInt8 = 0x81

    /// The version of the protocol in whose structure the receipt was signed. One of another version does not come out again by this, so it is kept long.
    private static let signedVersion: UInt8 = 1

    /// What stands in a short form because the row does not say it, or because it is not what it mostly is.
    private struct Marks: OptionSet {
        let rawValue: UInt8

        static let attempt = Marks(rawValue: 1)
        static let key = Marks(rawValue: 2)
        static let lastPIN = Marks(rawValue: 4)
        static let withoutPIN = Marks(rawValue: 8)
        static let known: Marks = [.attempt, .key, .lastPIN, .withoutPIN]

        init(rawValue: UInt8) { self.rawValue = rawValue }

        init(of receipt: Receipt, beside row: ReceiptSurroundings) {
            self = []
            if receipt.attemptID != row.attempt { insert(.attempt) }
            if receipt.secondFactorKey != row.keys[receipt.epoch] { insert(.key) }
            if receipt.lastPIN != receipt.issuedAt { insert(.lastPIN) }
            if receipt.withoutPIN != 0 { insert(.withoutPIN) }
        }
    }

    /// The short form, from which ``receipt(_:beside:)`` makes the receipt if the rest is as it should be: whoever keeps it looks.
    static func bytes(of receipt: Receipt, beside row: ReceiptSurroundings) -> [UInt8] {
        let marks = Marks(of: receipt, beside: row)
        var writer = ByteWriter()
        writer.u8(version)
        writer.u8(marks.rawValue)
        writer.choice(receipt.context)
        writer.u8(receipt.method.rawValue)
        writer.number(UInt64(receipt.epoch))
        writer.number(receipt.sequence)
        writer.number(receipt.issuedAt.seconds)
        if marks.contains(.lastPIN) { writer.number(receipt.lastPIN.seconds) }
        if marks.contains(.withoutPIN) { writer.number(UInt64(receipt.withoutPIN)) }
        if marks.contains(.attempt) { receipt.attemptID.write(to: &writer) }
        writer.fixed(receipt.sessionHash, 32)
        if marks.contains(.key) { writer.fixed(receipt.secondFactorKey, 32) }
        writer.fixed(receipt.signaturesHash, 32)
        writer.fixed(receipt.signature.keyID, 8)
        writer.fixed(receipt.signature.ed25519, 64)
        return writer.bytes
    }

    /// The receipt as it was signed, byte for byte, if the row is as it was when the short form was made.
    static func receipt(_ bytes: [UInt8], beside row: ReceiptSurroundings) throws(WireError) -> Encoded<Receipt> {
        var reader = ByteReader(bytes)
        guard try reader.u8() == version else { throw .badVersion }
        let marks = Marks(rawValue: try reader.u8())
        guard marks.isSubset(of: .known) else { throw .badValue }
        let context: SecondFactorContext = try reader.choice()
        let method = Methods(rawValue: try reader.u8())
        let (epoch, sequence) = (try reader.number(upTo: UInt64(UInt32.max)), try reader.number())
        let issuedAt = Instant(try reader.number())
        var (lastPIN, withoutPIN, attempt) = (issuedAt, UInt64(0), row.attempt)
        if marks.contains(.lastPIN) { lastPIN = Instant(try reader.number()) }
        if marks.contains(.withoutPIN) { withoutPIN = try reader.number(upTo: UInt64(UInt16.max)) }
        if marks.contains(.attempt) { attempt = try AttemptID(from: &reader) }
        let sessionHash = try reader.fixed(32)
        let key = try key(of: UInt32(epoch), marks, &reader, beside: row)
        guard let tried = attempt else { throw .badValue }
        var receipt = Receipt(
            serverID: row.server, instanceID: row.instance, attemptID: tried, sessionHash: sessionHash, context: context, method: method,
            epoch: UInt32(epoch), sequence: sequence, secondFactorKey: key, signaturesHash: try reader.fixed(32), withoutPIN: UInt16(withoutPIN),
            lastPIN: lastPIN, issuedAt: issuedAt)
        receipt.signature = OperatorSignature(keyID: try reader.fixed(8), ed25519: try reader.fixed(64))
        try reader.finish()
        // Whatever version this program writes.
        var signed = receipt.encoded
        signed[0] = signedVersion
        // Read as any other is: whatever no receipt says is refused.
        return try Encoded(decoding: signed)
    }

    private static func key(
        of epoch: UInt32, _ marks: Marks, _ reader: inout ByteReader, beside row: ReceiptSurroundings
    ) throws(WireError) -> [UInt8] {
        if marks.contains(.key) { return try reader.fixed(32) }
        guard let key = row.keys[epoch], key.count == 32 else { throw .badValue }
        return key
    }
}

extension ByteWriter {
    /// Seven bits of a number in each byte, the lowest first; the eighth says that more follow.
    fileprivate mutating func number(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            u8(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        u8(UInt8(truncatingIfNeeded: rest))
    }
}

extension ByteReader {
    /// A number in the one way in which it is written: no byte that adds nothing, and no bit beyond the sixty-fourth.
    fileprivate mutating func number(upTo most: UInt64 = .max) throws(WireError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = try u8()
            let bits = UInt64(byte & 0x7F)
            guard (bits << shift) >> shift == bits else { throw .badValue }
            value |= bits << shift
            guard byte & 0x80 == 0 else { continue }
            guard byte != 0 || shift == 0, value <= most else { throw .badValue }
            return value
        }
        throw .badValue
    }
}
