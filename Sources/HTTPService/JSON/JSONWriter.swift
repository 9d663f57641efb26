import NIOCore

/// Writes one JSON object (RFC 8259), member by member, straight into the bytes of an answer.
///
/// For answers of known shape on hot paths: a general encoder takes several times as long as the rest of such a request. Names are constants of the
/// program; values are escaped. Members appear in the order of the calls.
///
///     var json = JSONWriter()
///     json.member("loggedin", true)
///     json.object("server") { $0.member("name", name) }
///     return json.finish()
package struct JSONWriter: Sendable {
    private var buffer: ByteBuffer
    private var isFirst = true

    /// - Parameter capacity: bytes to set aside at first.
    package init(capacity: Int = 256) {
        buffer = ByteBufferAllocator().buffer(capacity: capacity)
        buffer.writeInteger(UInt8(ascii: "{"))
    }

    package mutating func member(_ name: StaticString, _ value: String) {
        writeName(name)
        writeString(value)
    }

    package mutating func member(_ name: StaticString, _ value: some BinaryInteger) {
        writeName(name)
        buffer.writeString(String(value))
    }

    package mutating func member(_ name: StaticString, _ value: Bool) {
        writeName(name)
        buffer.writeStaticString(value ? "true" : "false")
    }

    /// A member that is left out if there is no value.
    package mutating func member(_ name: StaticString, ifPresent value: String?) {
        if let value { member(name, value) }
    }

    package mutating func member(_ name: StaticString, _ values: [String]) {
        writeName(name)
        writeArray(values) { $0.writeString($1) }
    }

    /// A member that is an object, with the members that `body` writes.
    package mutating func object(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
        writeName(name)
        writeObject(body)
    }

    /// A member that is an array of objects, one for each item.
    package mutating func objects<Item>(_ name: StaticString, _ items: some Sequence<Item>, _ body: (inout JSONWriter, Item) -> Void) {
        writeName(name)
        writeArray(items) { writer, item in writer.writeObject { body(&$0, item) } }
    }

    /// A member whose name is not a constant.
    package mutating func member(named name: String, _ value: String) {
        writeComma()
        writeString(name)
        buffer.writeInteger(UInt8(ascii: ":"))
        writeString(value)
    }

    /// The finished object. The writer is not used any further.
    package consuming func finish() -> ByteBuffer {
        buffer.writeInteger(UInt8(ascii: "}"))
        return buffer
    }
}

extension JSONWriter {
    private mutating func writeComma() {
        if !isFirst { buffer.writeInteger(UInt8(ascii: ",")) }
        isFirst = false
    }

    private mutating func writeName(_ name: StaticString) {
        writeComma()
        buffer.writeInteger(UInt8(ascii: "\""))
        buffer.writeStaticString(name)
        buffer.writeStaticString("\":")
    }

    private mutating func writeObject(_ body: (inout JSONWriter) -> Void) {
        buffer.writeInteger(UInt8(ascii: "{"))
        isFirst = true
        body(&self)
        isFirst = false
        buffer.writeInteger(UInt8(ascii: "}"))
    }

    private mutating func writeArray<Item>(_ items: some Sequence<Item>, _ write: (inout JSONWriter, Item) -> Void) {
        buffer.writeInteger(UInt8(ascii: "["))
        isFirst = true
        for item in items {
            writeComma()
            write(&self, item)
        }
        isFirst = false
        buffer.writeInteger(UInt8(ascii: "]"))
    }

    /// A string with its quotes. What needs no escape is copied in one piece.
    private mutating func writeString(_ value: String) {
        buffer.writeInteger(UInt8(ascii: "\""))
        if value.utf8.contains(where: needsEscape) {
            for byte in value.utf8 { writeEscaped(byte) }
        } else {
            buffer.writeString(value)
        }
        buffer.writeInteger(UInt8(ascii: "\""))
    }

    private mutating func writeEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): buffer.writeStaticString("\\\"")
        case UInt8(ascii: "\\"): buffer.writeStaticString("\\\\")
        case UInt8(ascii: "\n"): buffer.writeStaticString("\\n")
        case UInt8(ascii: "\r"): buffer.writeStaticString("\\r")
        case UInt8(ascii: "\t"): buffer.writeStaticString("\\t")
        case 0..<0x20: buffer.writeString("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16))
        default: buffer.writeInteger(byte)
        }
    }
}

private func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
}
