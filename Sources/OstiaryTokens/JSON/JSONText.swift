import OstiaryProtocol

/// A JSON text being written: no space, members in their order.
struct JSONText {
    private(set) var bytes: [UInt8] = []

    /// For a text of about so many bytes, which is then written in one piece of memory.
    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    mutating func append(_ value: JSONValue) {
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let number): bytes += String(number).utf8
        case .fraction(let number): bytes += (number.isFinite ? String(number) : "null").utf8
        case .string(let text): quote(text)
        case .array(let values): list("[", values, "]") { $0.append($1) }
        case .object(let object):
            list("{", object.members, "}") { text, member in
                text.quote(member.name)
                text.bytes.append(UInt8(ascii: ":"))
                text.append(member.value)
            }
        }
    }

    private mutating func list<Element>(
        _ opening: Unicode.Scalar, _ elements: [Element], _ closing: Unicode.Scalar, _ write: (inout JSONText, Element) -> Void
    ) {
        bytes.append(UInt8(ascii: opening))
        var isFirst = true
        for element in elements {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            write(&self, element)
        }
        bytes.append(UInt8(ascii: closing))
    }

    /// RFC 8259 §7: what must be escaped, and what could be taken for the markup of a page.
    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { text in
            var plain = text.startIndex
            for place in text.indices where Self.isEscaped(text[place]) {
                bytes += text[plain..<place]
                escape(text[place])
                plain = place + 1
            }
            bytes += text[plain...]
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, 0x7F, UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"): true
        default: false
        }
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
        default: bytes += "\\u00\(Hexadecimal.text([byte]))".utf8
        }
    }
}

extension JSONObject {
    /// The text of the object in UTF-8.
    package var encoded: [UInt8] {
        var text = JSONText()
        text.reserve(512)
        text.append(.object(self))
        return text.bytes
    }
}
