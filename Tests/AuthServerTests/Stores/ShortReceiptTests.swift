import Authentication
import OstiaryTesting
import Testing

@testable import AuthServer
@testable import OstiaryProtocol

@Suite("Receipts without what their row says")
struct ShortReceiptTests {
    private static let signer = OperatorSignature(keyID: Sample.bytes(0x31, 8), ed25519: (0..<64).map { $0 })

    /// As a login by PIN leaves it, but for what a test says.
    private struct Facts {
        var server = Sample.server
        var instance = Sample.instanceID
        var attempt = AttemptID(Sample.bytes(2, 16))!
        var sessionHash = (100..<132).map { UInt8($0) }
        var context = SecondFactorContext.verify
        var method = Methods.pin
        var epoch: UInt32 = 2
        var sequence: UInt64 = 5
        var key = Sample.bytes(6)
        var signaturesHash = (140..<172).map { UInt8($0) }
        var withoutPIN: UInt16 = 0
        var lastPIN = Sample.now
        var issuedAt = Sample.now

        var receipt: Encoded<Receipt> {
            var receipt = Receipt(
                serverID: server, instanceID: instance, attemptID: attempt, sessionHash: sessionHash, context: context, method: method, epoch: epoch,
                sequence: sequence, secondFactorKey: key, signaturesHash: signaturesHash, withoutPIN: withoutPIN, lastPIN: lastPIN, issuedAt: issuedAt
            )
            receipt.signature = ShortReceiptTests.signer
            return Encoded(receipt)
        }
    }

    private static let row = ReceiptSurroundings(of: Sample.instance)

    private func short(_ facts: Facts) -> [UInt8] { StoredReceipts.bytes(of: facts.receipt, beside: Self.row, in: .short) }

    private func read(_ bytes: [UInt8], beside row: ReceiptSurroundings = row) throws -> [UInt8] {
        try StoredReceipts.receipt(bytes, beside: row).bytes
    }

    @Test("A receipt of 254 bytes is kept in 147, and comes out byte for byte; in the long form it is kept as it is")
    func usual() throws {
        let receipt = Facts().receipt
        #expect(receipt.bytes.count == 254)
        #expect(short(Facts()).count == 147)
        #expect(try read(short(Facts())) == receipt.bytes)
        let long = StoredReceipts.bytes(of: receipt, beside: Self.row, in: .long)
        #expect(try long == receipt.bytes && read(long) == receipt.bytes)
    }

    @Test("Whatever a field says comes out again, and costs no more than its bytes and two")
    func fields() throws {
        var all: [Facts] = []
        func add(_ change: (inout Facts) -> Void) {
            var facts = Facts()
            change(&facts)
            all.append(facts)
        }
        for context in SecondFactorContext.allCases { add { $0.context = context } }
        for method in 0..<UInt8(8) { add { $0.method = Methods(rawValue: method) } }
        // The other epoch's key, and keys that no epoch of the row has.
        for (epoch, key) in [(UInt32(1), UInt8(4)), (1, 6), (2, 4), (2, 9), (3, 6), (.max, 1), (0, 1)] {
            add { ($0.epoch, $0.key) = (epoch, Sample.bytes(key)) }
        }
        for number in [UInt64(0), 1, 127, 128, 16_383, 16_384, 1 << 32, 1 << 56, 1 << 63, .max - 1, .max] {
            add { $0.sequence = number }
            add { $0.issuedAt = Instant(number) }
            add { $0.lastPIN = Instant(number) }
            add { ($0.issuedAt, $0.lastPIN) = (Instant(number), Instant(number)) }
        }
        for number in [UInt16(1), 127, 128, 300, .max] { add { $0.withoutPIN = number } }
        add { $0.attempt = AttemptID(Sample.bytes(9, 16))! }
        add { ($0.sessionHash, $0.signaturesHash) = (Sample.bytes(0), Sample.bytes(0xFF)) }
        add {
            ($0.attempt, $0.key, $0.withoutPIN) = (AttemptID(Sample.bytes(9, 16))!, Sample.bytes(9), 3)
            $0.lastPIN = Sample.now - 86_400
        }
        for facts in all {
            let bytes = short(facts)
            #expect(bytes.first == ShortReceipt.version && bytes.count < 254)
            #expect(try read(bytes) == facts.receipt.bytes)
        }
        #expect(Set(all.map { short($0) }).count == Set(all.map(\.receipt.bytes)).count)
    }

    @Test("What would not come out again stays as it was signed: a receipt of another instance or of another virtual server")
    func foreign() throws {
        var (other, elsewhere) = (Facts(), Facts())
        other.instance = InstanceID(Sample.bytes(0xA1, 16))!
        elsewhere.server = ServerID(Sample.bytes(2, 16))!
        for facts in [other, elsewhere] {
            #expect(short(facts) == facts.receipt.bytes)
            #expect(try read(short(facts)) == facts.receipt.bytes)
        }
    }

    @Test("A short form stands for a receipt of version 1 of the protocol, whichever is written today; one of another version stays as it was signed")
    func head() throws {
        #expect(try Array(read(short(Facts())).prefix(4)) == [1, 0x35, 1, 1])
        let receipt = Facts().receipt
        for version in [UInt8(0), 2, 3] {
            let other = Encoded(value: receipt.value, bytes: [version] + receipt.bytes.dropFirst())
            #expect(StoredReceipts.bytes(of: other, beside: Self.row, in: .short) == other.bytes)
        }
    }

    @Test("Each prefix is refused, and so is a byte too many", arguments: [false, true])
    func prefixes(isFull: Bool) throws {
        let bytes = short(isFull ? Self.full : Facts())
        for count in 0..<bytes.count {
            #expect(throws: WireError.truncated) { try ShortReceipt.receipt(Array(bytes.prefix(count)), beside: Self.row) }
        }
        #expect(throws: WireError.trailingBytes) { try ShortReceipt.receipt(bytes + [0], beside: Self.row) }
    }

    /// With all that a row mostly says.
    private static var full: Facts {
        var facts = Facts()
        (facts.attempt, facts.key, facts.withoutPIN) = (AttemptID(Sample.bytes(9, 16))!, Sample.bytes(9), 300)
        facts.lastPIN = Sample.now - 86_400
        return facts
    }

    @Test("A flipped bit gives no receipt or another, never the same", arguments: [false, true])
    func flipped(isFull: Bool) throws {
        let facts = isFull ? Self.full : Facts()
        let bytes = short(facts)
        for bit in 0..<bytes.count * 8 {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            let found = try? read(flipped)
            #expect(found != facts.receipt.bytes, "bit \(bit)")
        }
    }

    @Test("A number is written in one way: none with a byte that adds nothing, and none of more than sixty-four bits, or than its field holds")
    func numbers() throws {
        let bytes = short(Facts())
        // Version, marks, context, method, then epoch 2 and sequence 5.
        #expect(bytes[4] == 2 && bytes[5] == 5)
        func with(epoch: [UInt8], sequence: [UInt8]) -> [UInt8] { Array(bytes.prefix(4)) + epoch + sequence + Array(bytes.dropFirst(6)) }
        let ends: [UInt8] = Array(repeating: 0xFF, count: 9)
        #expect(try read(with(epoch: [2], sequence: ends + [1])).count == 254)
        for sequence in [[0x85, 0], [0x80, 0x80, 0], ends + [2], ends + [0x81], ends + [0x81, 0]] {
            #expect(throws: WireError.badValue) { try read(with(epoch: [2], sequence: sequence)) }
        }
        #expect(throws: WireError.badValue) { try read(with(epoch: [0xFF, 0xFF, 0xFF, 0xFF, 0x1F], sequence: [5])) }
    }

    @Test("A short form counts beside its row only: beside a row without its attempt or its key it is refused, beside another it is another receipt")
    func otherRow() throws {
        let bytes = short(Facts())
        func row(_ change: (inout Instance) -> Void) -> ReceiptSurroundings {
            var instance = Sample.instance
            change(&instance)
            return ReceiptSurroundings(of: instance)
        }
        #expect(throws: WireError.badValue) { try read(bytes, beside: row { $0.evaluated = nil }) }
        let (first, none) = (Sample.instance.epochs[0], [Instance.Epoch]())
        for epochs in [[first], none] {
            let bare = ReceiptSurroundings(instance: Sample.instanceID, server: Sample.server, attempt: Self.row.attempt, epochs: epochs)
            #expect(throws: WireError.badValue) { try read(bytes, beside: bare) }
        }
        let other = TriedAttempt(id: AttemptID(Sample.bytes(7, 16))!, epoch: 2, madeAt: Sample.now)
        #expect(try read(bytes, beside: row { $0.evaluated = other }) != Facts().receipt.bytes)
        // Marks that nobody makes yet are no guess.
        var marked = bytes
        marked[1] = 0x10
        #expect(throws: WireError.badValue) { try read(marked) }
    }
}
