import OstiaryProtocol
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    @Test("Of all bytes the 22 digits are digits, and each stands for its number")
    func digits() {
        let known = Array("0123456789abcdef".utf8) + Array("ABCDEF".utf8)
        for (place, digit) in known.enumerated() { #expect(Hexadecimal.value(of: digit) == UInt8(place < 16 ? place : place - 6)) }
        for byte in UInt8.min ... .max where !known.contains(byte) { #expect(Hexadecimal.value(of: byte) == nil, "\(byte)") }
    }

    @Test("Every byte is two small digits, and is read again from them and from large ones")
    func everyByte() {
        #expect(Hexadecimal.text([0x00, 0x0A, 0xA0, 0xFF]) == "000aa0ff" && Hexadecimal.text([]).isEmpty)
        for byte in UInt8.min ... .max {
            let text = Hexadecimal.text([byte])
            #expect(text.utf8.count == 2)
            #expect(Hexadecimal.bytes(text.utf8) == [byte] && Hexadecimal.bytes(text.uppercased().utf8) == [byte])
        }
        #expect(Hexadecimal.bytes("00Ff10".utf8) == [0, 255, 16] && Hexadecimal.bytes("".utf8) == [])
    }

    @Test(
        "Half a byte, a sign, a blank and letters behind f are none",
        arguments: ["0", "000", "+5", "-5", " 5", "5 ", "0x", "0g", "g0", "٠٠", "００"])
    func none(text: String) { #expect(Hexadecimal.bytes(text.utf8) == nil) }
}
