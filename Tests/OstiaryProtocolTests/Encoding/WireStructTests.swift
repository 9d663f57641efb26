import OstiaryProtocol
import Testing

@Suite("Every structure of AP1")
struct WireStructTests {
    static let cases: [WireCase] = (try? Samples().all()) ?? []

    @Test("All structures are sampled")
    func sampled() throws {
        #expect(try Samples().all().count == Self.cases.count)
        #expect(!Self.cases.isEmpty)
    }

    @Test("A structure that is decoded and encoded again has the same bytes", arguments: cases)
    func roundTrip(_ each: WireCase) throws {
        #expect(try each.recode(each.bytes) == each.bytes)
    }

    @Test("No prefix of a structure decodes", arguments: cases)
    func prefixes(_ each: WireCase) {
        for count in 0..<each.bytes.count {
            #expect(throws: WireError.self) { try each.recode(Array(each.bytes.prefix(count))) }
        }
    }

    @Test("A byte too many is refused", arguments: cases)
    func trailing(_ each: WireCase) {
        #expect(throws: WireError.trailingBytes) { try each.recode(each.bytes + [0]) }
    }

    @Test("A flipped bit is refused, or is another value with exactly these bytes", arguments: cases)
    func flippedBits(_ each: WireCase) {
        for index in each.bytes.indices {
            for bit in 0..<8 {
                var bytes = each.bytes
                bytes[index] ^= 1 << UInt8(bit)
                if let again = try? each.recode(bytes) { #expect(again == bytes) }
            }
        }
    }

    @Test("Random and mangled bytes never stop the program, and what decodes encodes to itself", arguments: cases)
    func random(_ each: WireCase) {
        let random = FixedRandom(UInt64(each.bytes.count) + 17)
        for round in 0..<400 {
            var bytes = round.isMultiple(of: 4) ? random.bytes(random.below(each.bytes.count + 40)) : each.bytes
            for _ in 0..<(1 + random.below(4)) where !bytes.isEmpty {
                let index = random.below(bytes.count)
                switch random.below(3) {
                case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: index)
                default: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: index)
                }
            }
            if let again = try? each.recode(bytes) { #expect(again == bytes) }
        }
    }
}
