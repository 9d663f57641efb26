import NIOCore

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
    private var bytes: [UInt8] = []
    private var needsComma = false

    private init() {
        // Room for most answers.
        bytes.reserveCapacity(512)
    }

    /// The text of one value.
    package static func text(_ write: (inout JSONWriter) -> Void) -> ByteBuffer {
        ByteBuffer(bytes: bytes(write))
    }

    /// The text of one value as a line for a terminal.
    package static func line(_ write: (inout JSONWriter) -> Void) -> String { String(decoding: bytes(write), as: UTF8.self) }

    private static func bytes(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        write(&writer)
        return writer.bytes
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
        separate()
        // The digits of a number of any type cost ten times those of one.
        let digits = Int64(exactly: value).map { String($0) } ?? String(value)
        bytes.append(contentsOf: digits.utf8)
    }

    package mutating func bool(_ value: Bool) {
        separate()
        append(value ? "true" : "false")
    }

    package mutating func null() {
        separate()
        append("null")
    }
}

/// Members of an object.
extension JSONWriter {
    /// The name of a member; its value has to follow.
    package mutating func name(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        append(name)
        append("\":")
        needsComma = false
    }

    /// The name of a member that somebody else chose.
    package mutating func name(of text: String) {
        separate()
        quote(text)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A member that is left out if there is no value, as the following are.
    package mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        self.name(name)
        string(value)
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

    package mutating func member(_ name: StaticString, _ values: [String]) {
        self.name(name)
        array(values) { writer, value in writer.string(value) }
    }
}

extension JSONWriter {
    private mutating func enclosed(by opening: UInt8, _ closing: UInt8, _ write: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(opening)
        needsComma = false
        write(&self)
        bytes.append(closing)
        needsComma = true
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// A text with its quotes. What needs no escape is copied in one piece.
    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        let isPlain = text.withUTF8 { utf8 in
            guard !utf8.contains(where: mayNeedEscape) else { return false }
            bytes.append(contentsOf: utf8)
            return true
        }
        if !isPlain {
            for scalar in text.unicodeScalars { write(scalar) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// RFC 8259 §7. `<`, `>` and `&` are escaped too, so that no reader can mistake an answer for a web page; and every control character and line end
    /// that Unicode has, so that no text breaks a line or moves the cursor of a terminal.
    private mutating func write(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": append("\\\"")
        case "\\": append("\\\\")
        case "\n": append("\\n")
        case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "<", ">", "&", "\u{2028}", "\u{2029}":
            let digits = String(scalar.value, radix: 16)
            append("\\u")
            bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
            bytes.append(contentsOf: digits.utf8)
        default:
            for byte in Unicode.UTF8.encode(scalar) ?? Unicode.UTF8.encodedReplacementCharacter { bytes.append(byte) }
        }
    }
}

/// Whether a byte of UTF-8 needs an escape, or begins a character that may: U+0080 to U+009F begin with 0xC2, the line ends U+2028 and U+2029 with 0xE2.
private func mayNeedEscape(_ byte: UInt8) -> Bool {
    switch byte {
    case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), 0x7F, 0xC2, 0xE2: true
    default: false
    }
}
