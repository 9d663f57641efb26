import OstiaryProtocol
import Testing

@Suite("Encodings (protocol §2)")
struct EncodingTests {
    @Test("Numbers are big-endian")
    func numbers() throws {
        var writer = ByteWriter()
        writer.u8(1)
        writer.u16(0x0203)
        writer.u32(0x0405_0607)
        writer.u64(0x0809_0A0B_0C0D_0E0F)
        #expect(writer.bytes == Array(1...15))
        var reader = ByteReader(writer.bytes)
        #expect(try reader.u8() == 1)
        #expect(try reader.u16() == 0x0203)
        #expect(try reader.u32() == 0x0405_0607)
        #expect(try reader.u64() == 0x0809_0A0B_0C0D_0E0F)
        try reader.finish()
    }

    @Test("A length above the cap is refused before it is read")
    func caps() {
        var short = ByteReader([3, 1, 2, 3])
        #expect(throws: WireError.badLength) { try short.v8(cap: 2) }
        var long = ByteReader([0xFF, 0xFF, 0])
        #expect(throws: WireError.truncated) { try long.v16() }
    }

    @Test(
        "Text with control or direction characters is refused",
        arguments: ["a\u{0}b", "tab\t", "\u{7F}", "\u{85}", "right\u{202E}left", "\u{2066}x", "\r\n"])
    func badText(_ text: String) {
        #expect(throws: WireError.badText) { try WireText.decode(Array(text.utf8)) }
        #expect(!WireText.allows(text, cap: 255))
    }

    @Test("Text may hold a line feed and any script; invalid UTF-8 is refused")
    func text() throws {
        #expect(try WireText.decode(Array("één\nרגע".utf8)) == "één\nרגע")
        #expect(throws: WireError.badText) { try WireText.decode([0xC3, 0x28]) }
    }

    @Test("Text that is too long is cut between characters when we write it")
    func cut() throws {
        var writer = ByteWriter()
        writer.text8(String(repeating: "é", count: 200))
        var reader = ByteReader(writer.bytes)
        #expect(try reader.text8() == String(repeating: "é", count: 127))
    }

    @Test("base64url has one spelling per value", arguments: ["A", "AB=", "A+", "AAA/", "AB", "é"])
    func badBase64(_ text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test("base64url decodes what it encodes")
    func base64() {
        let random = FixedRandom(5)
        for count in 0..<70 {
            let bytes = random.bytes(count)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
        #expect(Base64URL.encode(Array("any carnal pleas".utf8)) == "YW55IGNhcm5hbCBwbGVhcw")
        // RFC 4648 §10, and what its own two characters stand for.
        let encoded = (0...6).map { Base64URL.encode(Array("foobar".utf8.prefix($0))) }
        #expect(encoded == ["", "Zg", "Zm8", "Zm9v", "Zm9vYg", "Zm9vYmE", "Zm9vYmFy"])
        #expect(Base64URL.encode([0xFB, 0xEF, 0xBE, 0xFF, 0xFF, 0xFF, 0xFF]) == "----_____w")
    }

    @Test("Extensions: ascending, never twice, unknown critical ones refused, other unknown ones kept")
    func extensions() throws {
        let answer = PingAnswer(state: .loggedIn, reason: .none, pingTime: 1).encoded.dropLast(2)
        func with(_ items: [UInt8]) throws(WireError) -> PingAnswer {
            try PingAnswer(decoding: Array(answer) + [UInt8(items.count >> 8), UInt8(items.count & 255)] + items)
        }
        #expect(try with([0x00, 0x05, 0, 1, 9]).extensions.items == [Extensions.Item(type: 5, value: [9])])
        #expect(throws: WireError.badExtension) { try with([0x80, 0x05, 0, 0]) }
        #expect(throws: WireError.badExtension) { try with([0, 5, 0, 0, 0, 5, 0, 0]) }
        #expect(throws: WireError.badExtension) { try with([0, 5, 0, 0, 0, 4, 0, 0]) }
        #expect(throws: WireError.truncated) { try with([0, 5, 0, 9, 1]) }
    }

    @Test("Notices travel as extension 1, the oldest sixteen; what was shown comes back as extension 2, sixteen ids at most")
    func notices() throws {
        let random = FixedRandom(12)
        let many = (0..<20).map { DeviceNotice(.enrolled, id: NoticeID(using: random), device: "phone \($0)", time: Instant(UInt64($0))) }
        #expect(Extensions(notices: many).notices == Array(many.prefix(16)))
        #expect(Extensions(notices: []).items.isEmpty)
        let ids = many.map(\.id)
        #expect(try Extensions(shownNotices: ids).shownNotices() == Array(ids.prefix(16)))
        #expect(Extensions(shownNotices: []).items.isEmpty)
        let item = try #require(Extensions(shownNotices: ids).items.first)
        #expect(item.type == 2 && item.value == [16] + ids.prefix(16).flatMap(\.bytes))
        #expect(try Extensions(notices: many).shownNotices().isEmpty)
    }

    @Test("A PIN that a biometric set travels as extension 3 beside the new devices, sixteen of each; a phone that knows only those reads them")
    func noticesOfPINs() throws {
        let random = FixedRandom(13)
        let pins = (0..<20).map { DeviceNotice(.pinByBiometric, id: NoticeID(using: random), device: "é\($0)", time: Instant(UInt64($0))) }
        let enrolled = (0..<17).map { DeviceNotice(.enrolled, id: NoticeID(using: random), device: "phone \($0)", time: Instant(9)) }
        let answer = PingAnswer(state: .loggedIn, reason: .none, pingTime: 1, extensions: Extensions(notices: pins + enrolled))
        let read = try PingAnswer(decoding: answer.encoded).extensions
        #expect(read.items.map(\.type) == [1, 3])
        #expect(read.notices == Array(enrolled.prefix(16)) + Array(pins.prefix(16)))
        let first = pins[0].id.bytes + [3, 0xC3, 0xA9, 0x30] + [UInt8](repeating: 0, count: 8)
        #expect(Array(read.items[1].value.prefix(1 + first.count)) == [16] + first)
        let known = read.items[0].value
        let items = [0, 1, UInt8(known.count >> 8), UInt8(known.count & 255)] + known + [0, 3, 0, 2, 1, 2]
        let head = PingAnswer(state: .loggedIn, reason: .none, pingTime: 1).encoded.dropLast(2)
        let broken = try PingAnswer(decoding: head + [UInt8(items.count >> 8), UInt8(items.count & 255)] + items)
        #expect(broken.extensions.notices == Array(enrolled.prefix(16)), "a list that cannot be read hides no other")
    }

    @Test("A list of acknowledged notices that is cut off, too long or goes on after its end is an error, not an empty list")
    func brokenAcknowledgement() throws {
        let id = [UInt8](repeating: 7, count: 16)
        func read(_ value: [UInt8]) throws(WireError) -> [NoticeID] {
            let answer = Array(PingAnswer(state: .loggedIn, reason: .none, pingTime: 1).encoded.dropLast(2))
            let item = [0, 2, UInt8(value.count >> 8), UInt8(value.count & 255)] + value
            return try PingAnswer(decoding: answer + [UInt8(item.count >> 8), UInt8(item.count & 255)] + item).extensions.shownNotices()
        }
        #expect(try read([1] + id).count == 1)
        #expect(throws: WireError.truncated) { try read([2] + id) }
        #expect(throws: WireError.truncated) { try read([]) }
        #expect(throws: WireError.trailingBytes) { try read([1] + id + [0]) }
        #expect(throws: WireError.badLength) { try read([17] + (0..<17).flatMap { _ in id }) }
    }

    @Test("Time saturates instead of stopping the program")
    func time() {
        #expect(Instant(.max) + 5 == Instant(.max))
        #expect(Instant(3) - 5 == Instant(0))
        #expect(Instant(3).seconds(since: Instant(9)) == 0)
        #expect(Instant(3).distance(to: Instant(9)) == 6)
    }

    @Test("A message of another version, type or suite is refused by what is wrong")
    func header() {
        let bytes = PingAnswer(state: .loggedIn, reason: .none, pingTime: 1).encoded
        func changed(_ index: Int, _ value: UInt8) -> [UInt8] {
            var copy = bytes
            copy[index] = value
            return copy
        }
        #expect(throws: WireError.badVersion) { try PingAnswer(decoding: changed(0, 2)) }
        #expect(throws: WireError.badType) { try PingAnswer(decoding: changed(1, 0x40)) }
        #expect(throws: WireError.badSuite) { try PingAnswer(decoding: changed(2, 0x02)) }
        #expect(throws: WireError.badType) { try MessageType(of: [1, 0xEE, 1, 1]) }
        #expect(throws: WireError.truncated) { try MessageType(of: [1, 0x40]) }
    }
}
