/// JSON text (RFC 8259) written straight into bytes.
///
/// A general encoder costs more than the whole HTTP framework around it, and `getSession` is asked at every click of every business
/// application. Names are literals of ours and are written as they stand; values are escaped.
struct AdminJSONWriter {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// The text of one value.
    static func text(_ write: (inout AdminJSONWriter) -> Void) -> [UInt8] {
        var writer = AdminJSONWriter()
        writer.bytes.reserveCapacity(512)
        write(&writer)
        return writer.bytes
    }

    mutating func object(_ members: (inout AdminJSONWriter) -> Void) {
        enclosed(by: UInt8(ascii: "{"), UInt8(ascii: "}"), members)
    }

    mutating func array<Element>(_ elements: some Sequence<Element>, _ write: (inout AdminJSONWriter, Element) -> Void) {
        enclosed(by: UInt8(ascii: "["), UInt8(ascii: "]")) { writer in
            for element in elements { write(&writer, element) }
        }
    }

    /// The name of a member; its value has to follow.
    mutating func name(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// The name of a member that somebody else chose.
    mutating func name(of text: String) {
        string(text)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 { escape(byte) }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func number(_ value: some BinaryInteger) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }

    mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    private mutating func enclosed(by opening: UInt8, _ closing: UInt8, _ write: (inout AdminJSONWriter) -> Void) {
        separate()
        bytes.append(opening)
        needsComma = false
        write(&self)
        bytes.append(closing)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// RFC 8259 §7. `<`, `>` and `&` are escaped too, so that no reader can mistake an answer for a web page.
    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0x00..<0x20, 0x7F, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"):
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(Self.digits[Int(byte >> 4)])
            bytes.append(Self.digits[Int(byte & 15)])
        default: bytes.append(byte)
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)
}

/// Members in one line each; a nil value leaves the member out.
extension AdminJSONWriter {
    mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        self.name(name)
        string(value)
    }

    mutating func member(_ name: StaticString, _ value: Bool) {
        self.name(name)
        bool(value)
    }

    mutating func member(_ name: StaticString, number value: (some BinaryInteger)?) {
        guard let value else { return }
        self.name(name)
        number(value)
    }

    mutating func member(_ name: StaticString, _ values: [String]) {
        self.name(name)
        array(values) { writer, value in writer.string(value) }
    }
}
