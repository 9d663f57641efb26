import NIOCore
import OstiaryProtocol

/// Writes JSON text (RFC 8259) straight into the bytes of an answer, a line of a stream or a line of a terminal.
///
/// A general encoder costs more than the whole HTTP framework around it, and `getSession` is asked at every click of every business application.
/// Names are literals of ours and are written as they stand; values are escaped. Members appear in the order of the calls.
///
///     let text = JSONWriter.object { json in
///         json.member("loggedin", true)
///         json.name("server")
///         json.object { json in json.member("name", name) }
///     }
package struct JSONWriter: Sendable {
    /// What was written, and room behind it.
    private var room: [UInt8]
    /// How many bytes were written.
    private var count = 0
    private var needsComma = false

    private init() {
        // Enough for most answers.
        room = Array(repeating: 0, count: 512)
    }

    /// The text of one value.
    package static func text(_ write: (inout JSONWriter) -> Void) -> ByteBuffer { ByteBuffer(bytes: written(write)) }

    /// The same as bytes, of which none are to spare.
    package static func bytes(_ write: (inout JSONWriter) -> Void) -> [UInt8] { Array(written(write)) }

    /// The text of one value as a line for a terminal.
    package static func line(_ write: (inout JSONWriter) -> Void) -> String { String(decoding: written(write), as: UTF8.self) }

    private static func written(_ write: (inout JSONWriter) -> Void) -> ArraySlice<UInt8> {
        var writer = JSONWriter()
        write(&writer)
        return writer.room[..<writer.count]
    }

    /// The text of one object.
    package static func object(_ members: (inout JSONWriter) -> Void) -> ByteBuffer {
        text { $0.object(members) }
    }
}

/// Values: each is a whole text, an element of an array, or follows a name.
extension JSONWriter {
    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        enclosed(by: UInt8(ascii: "{"), UInt8(ascii: "}"), members)
    }

    package mutating func array<Element>(_ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void) {
        enclosed(by: UInt8(ascii: "["), UInt8(ascii: "]")) { writer in
            for element in elements { write(&writer, element) }
        }
    }

    package mutating func string(_ text: String) {
        separate()
        quote(text)
    }

    package mutating func number(_ value: some BinaryInteger) {
        // The digits of a number of any type cost ten times those of one.
        word(Int64(exactly: value).map { String($0) } ?? String(value))
    }

    package mutating func bool(_ value: Bool) { word(value ? "true" : "false") }

    package mutating func null() { word("null") }

    /// What stands as it is, without quotes.
    private mutating func word(_ text: String) {
        separate()
        var text = text
        text.withUTF8 { utf8 in append(atMost: utf8.count) { place in place.update(fromContentsOf: utf8) } }
    }

    /// Bytes as a text, in base64url without padding.
    package mutating func string(base64url bytes: [UInt8]) {
        separate()
        append(atMost: Base64URL.length(of: bytes) + 2) { place in
            let count = Base64URL.write(bytes, to: UnsafeMutableBufferPointer(rebasing: place[1...]))
            place[0] = UInt8(ascii: "\"")
            place[count + 1] = UInt8(ascii: "\"")
            return count + 2
        }
    }
}

/// Members of an object.
extension JSONWriter {
    /// The name of a member; its value has to follow.
    package mutating func name(_ name: StaticString) {
        separate()
        name.withUTF8Buffer { name in
            append(atMost: name.count + 3) { place in
                place[0] = UInt8(ascii: "\"")
                _ = UnsafeMutableBufferPointer(rebasing: place[1...]).update(fromContentsOf: name)
                place[name.count + 1] = UInt8(ascii: "\"")
                place[name.count + 2] = UInt8(ascii: ":")
                return name.count + 3
            }
        }
        needsComma = false
    }

    /// The name of a member that somebody else chose.
    package mutating func name(of text: String) {
        separate()
        quote(text)
        put(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A member that is left out if there is no value, as the following are.
    package mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        self.name(name)
        string(value)
    }

    package mutating func member(_ name: StaticString, base64url bytes: [UInt8]?) {
        guard let bytes else { return }
        self.name(name)
        string(base64url: bytes)
    }

    package mutating func member(_ name: StaticString, _ value: Bool) {
        self.name(name)
        bool(value)
    }

    package mutating func member(_ name: StaticString, number value: (some BinaryInteger)?) {
        guard let value else { return }
        self.name(name)
        number(value)
    }

    /// The same of the type that times have: of any type, which is known only at run time, it costs five times as much.
    package mutating func member(_ name: StaticString, number value: UInt64?) {
        guard let value else { return }
        self.name(name)
        word(String(value))
    }

    package mutating func member(_ name: StaticString, _ values: [String]) {
        self.name(name)
        array(values) { writer, value in writer.string(value) }
    }
}

extension JSONWriter {
    private mutating func enclosed(by opening: UInt8, _ closing: UInt8, _ write: (inout JSONWriter) -> Void) {
        separate()
        put(opening)
        needsComma = false
        write(&self)
        put(closing)
        needsComma = true
    }

    private mutating func put(_ byte: UInt8) {
        append(atMost: 1) { place in
            place[0] = byte
            return 1
        }
    }

    /// - Parameters:
    ///   - most: how many bytes may come.
    ///   - write: writes them, from the first place on, and answers how many they are.
    private mutating func append(atMost most: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
        if room.count - count < most { room.append(contentsOf: repeatElement(0, count: max(most, room.count))) }
        let start = count
        count += room.withUnsafeMutableBufferPointer { room in write(UnsafeMutableBufferPointer(rebasing: room[start...])) }
    }

    private mutating func separate() {
        if needsComma { put(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// A text with its quotes: a piece at a time, straight into room for the longest that can come of it.
    private mutating func quote(_ text: String) {
        put(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            var place = 0
            while place < utf8.count {
                let end = min(place + Self.piece, utf8.count)
                append(atMost: (end - place) * Self.longestEscape) { target in Self.copy(utf8, from: &place, to: end, into: target) }
            }
        }
        put(UInt8(ascii: "\""))
    }

    private static let piece = 512
    /// Bytes that one byte of a text may become.
    private static let longestEscape = 6

    /// What stands between two characters that need an escape is copied in one piece. A character that begins before `end` is written whole.
    /// - Returns: how many bytes were written.
    private static func copy(
        _ utf8: UnsafeBufferPointer<UInt8>, from place: inout Int, to end: Int, into target: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        var (start, written) = (place, 0)
        func copyRun(to place: Int) {
            guard start < place else { return }
            _ = UnsafeMutableBufferPointer(rebasing: target[written...]).update(fromContentsOf: utf8[start..<place])
            written += place - start
        }
        while place < end {
            guard mayNeedEscape(utf8[place]), let scalar = escapedScalar(at: place, of: utf8) else {
                place += 1
                continue
            }
            copyRun(to: place)
            written += escape(scalar, into: target, at: written)
            place += UTF8.width(scalar)
            start = place
        }
        copyRun(to: place)
        return written
    }

    /// - Returns: how many bytes were written.
    private static func escape(_ scalar: Unicode.Scalar, into target: UnsafeMutableBufferPointer<UInt8>, at place: Int) -> Int {
        target[place] = UInt8(ascii: "\\")
        switch scalar {
        case "\"", "\\": target[place + 1] = UInt8(truncatingIfNeeded: scalar.value)
        case "\n": target[place + 1] = UInt8(ascii: "n")
        default:
            target[place + 1] = UInt8(ascii: "u")
            for number in 0..<4 {
                let digit = UInt8(truncatingIfNeeded: scalar.value >> UInt32(12 - 4 * number) & 15)
                target[place + 2 + number] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            }
            return 6
        }
        return 2
    }
}

/// Whether a byte of UTF-8 needs an escape, or begins a character that may: U+0080 to U+009F begin with 0xC2, the line ends U+2028 and U+2029 with 0xE2.
private func mayNeedEscape(_ byte: UInt8) -> Bool {
    switch byte {
    case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), 0x7F, 0xC2, 0xE2: true
    default: false
    }
}

/// The character that begins with such a byte, if it needs an escape (RFC 8259 §7). `<`, `>` and `&` are escaped too, so that no reader can mistake an answer for
/// a web page; and every control character and line end that Unicode has, so that no text breaks a line or moves the cursor of a terminal.
private func escapedScalar(at place: Int, of utf8: UnsafeBufferPointer<UInt8>) -> Unicode.Scalar? {
    func byte(_ offset: Int) -> UInt8 { place + offset < utf8.count ? utf8[place + offset] : 0 }
    switch utf8[place] {
    case 0xC2: return (0x80...0x9F).contains(byte(1)) ? Unicode.Scalar(byte(1)) : nil
    case 0xE2:
        guard byte(1) == 0x80, byte(2) == 0xA8 || byte(2) == 0xA9 else { return nil }
        return byte(2) == 0xA8 ? "\u{2028}" : "\u{2029}"
    case let ascii: return Unicode.Scalar(ascii)
    }
}
