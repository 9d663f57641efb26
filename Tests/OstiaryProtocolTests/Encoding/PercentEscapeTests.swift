import OstiaryProtocol
import Testing

@Suite("Escapes of addresses and forms")
struct PercentEscapeTests {
    private static let unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

    /// - Returns: nil for an escape that is none, where those are refused.
    private func read(_ text: String, isForm: Bool, _ broken: PercentEscape.Broken = .refused) -> [UInt8]? {
        Array(text.utf8).withUnsafeBytes { PercentEscape.bytes(of: $0[...], isForm: isForm, broken: broken) }
    }

    @Test("Unreserved characters stand as they are, and nothing else does: a space is no plus, which some read as itself")
    func everyCharacter() throws {
        #expect(PercentEscape.text(Self.unreserved) == Self.unreserved)
        for code in UInt8(0)..<128 {
            let character = String(Unicode.Scalar(code))
            #expect(PercentEscape.isUnreserved(code) == Self.unreserved.contains(character))
            let digits = String(code, radix: 16, uppercase: true)
            let escape = "%" + (digits.utf8.count == 1 ? "0" : "") + digits
            #expect(PercentEscape.text(character) == (Self.unreserved.contains(character) ? character : escape))
        }
        #expect(PercentEscape.text("a b+ä&€") == "a%20b%2B%C3%A4%26%E2%82%AC")
        for byte in UInt8(128) ... .max { #expect(!PercentEscape.isUnreserved(byte)) }
    }

    @Test("What was escaped is read as it was, whatever it is")
    func readAgain() throws {
        let text = String(String.UnicodeScalarView((0..<0x300).compactMap { Unicode.Scalar($0 as UInt32) })) + "€👩‍👩‍👧%41+"
        #expect(read(PercentEscape.text(text), isForm: false) == Array(text.utf8))
        #expect(read(PercentEscape.text(text), isForm: true) == Array(text.utf8))
        #expect(PercentEscape.unescaped(PercentEscape.text(text)[...]) == text)
    }

    @Test("No name and no value ends itself in a form, and nothing is nothing")
    func form() {
        #expect(PercentEscape.form([("a=", "b&c"), ("a=", "+ ")]) == "a%3D=b%26c&a%3D=%2B%20")
        #expect(PercentEscape.form([]).isEmpty)
    }

    @Test("A plus is a space in a form alone, and digits are read in either case")
    func plus() {
        #expect(read("a+b%2b%2B", isForm: true) == Array("a b++".utf8))
        #expect(read("a+b%2b%2B", isForm: false) == Array("a+b++".utf8))
        #expect(PercentEscape.unescaped("a+%c3%A4") == "a+ä")
    }

    @Test(
        "An escape that is none is refused, or stays as it is and hides nothing that follows",
        arguments: ["%", "%4", "%4g", "%g4", "%%41", "%+5", "% 5", "%-1", "a%"])
    func broken(text: String) {
        for isForm in [true, false] { #expect(read(text, isForm: isForm) == nil && read("a=" + text, isForm: isForm) == nil) }
        #expect(read(text, isForm: false, .kept) == Array(text.replacing("%41", with: "A").utf8))
        #expect(PercentEscape.unescaped("\(text)x%41"[...]) == text.replacing("%41", with: "A") + "xA")
    }

    @Test("What is no UTF-8 behind its escapes is mended in an address, as nobody can be asked to send it again")
    func mended() {
        #expect(PercentEscape.unescaped("a%FFb") == "a\u{FFFD}b")
        #expect(read("a%FFb", isForm: false) == [0x61, 0xFF, 0x62])
    }
}
