import OstiaryProtocol
import Testing

@Suite("Crockford base 32")
struct CrockfordTests {
    static let folder = VectorFolder("crockford")

    @Test("Every scenario of Vectors/crockford comes out as written", arguments: folder.names)
    func scenario(name: String) throws {
        try Self.folder.check(name) { given in
            switch try given.text("operation") {
            case "encode":
                return (.ok, ["text": .text(Crockford.encode(try given.number("value"), bits: Int(try given.number("bits"))))])
            case "confirmation-code":
                return (.ok, ["code": .text(ConfirmationCode(enrolHash: try given.bytes("enrolHash")).description)])
            default:
                let (text, bits) = (try given.text("text"), Int(try given.number("bits")))
                guard let value = try? Crockford.decode(text, bits: bits) else { return (.malformed, [:]) }
                return (.ok, ["value": .number(value)])
            }
        }
    }

    @Test("No file was lost")
    func complete() { #expect(Self.folder.names.count == 16) }

    @Test("Every number of up to 60 bits survives the way out and back, also in lower case")
    func roundTrip() throws {
        for bits in 1...60 {
            let all: UInt64 = (1 << UInt64(bits)) - 1
            for value in [0, 1, all / 3, all] {
                let text = Crockford.encode(value, bits: bits)
                #expect(text.count == (bits + 4) / 5)
                #expect(try Crockford.decode(text, bits: bits) == value)
                #expect(try Crockford.decode(text.lowercased(), bits: bits) == value)
            }
        }
    }

    @Test("Each kind of mistake has its own error")
    func errors() {
        #expect(throws: CrockfordError.unexpectedCharacter) { try Crockford.decode("K7U3", bits: 20) }
        #expect(throws: CrockfordError.unexpectedCharacter) { try Crockford.decode("K7\t3", bits: 20) }
        #expect(throws: CrockfordError.wrongLength) { try Crockford.decode("K7Q", bits: 20) }
        #expect(throws: CrockfordError.wrongLength) { try Crockford.decode("K7Q33", bits: 20) }
        #expect(throws: CrockfordError.outOfRange) { try Crockford.decode("ZZZZZZZ", bits: 33) }
    }

    @Test("The first bits of some bytes are the most significant ones")
    func leadingBits() {
        #expect(Crockford.leading(bits: 20, of: [0xAB, 0xCD, 0xEF, 0x01]) == 0xABCDE)
        #expect(Crockford.leading(bits: 60, of: [UInt8](repeating: 0xFF, count: 32)) == (1 << 60) - 1)
        #expect(Crockford.leading(bits: 1, of: [0x80]) == 1)
    }

    @Test("A confirmation code matches what the phone shows, typed as people type, and nothing else")
    func confirmation() throws {
        let code = ConfirmationCode(enrolHash: [UInt8](repeating: 5, count: 32))
        let shown = code.description
        #expect(shown.count == 4)
        #expect(try code.matches(typed: " \(shown.prefix(2).lowercased())-\(shown.suffix(2)) "))
        let last = shown.hasSuffix("0") ? "1" : "0"
        #expect(try !code.matches(typed: shown.dropLast() + last))
        #expect(throws: CrockfordError.wrongLength) { try code.matches(typed: "") }
        #expect(ConfirmationCode(enrolHash: [UInt8](repeating: 6, count: 32)).description != shown)
    }
}
