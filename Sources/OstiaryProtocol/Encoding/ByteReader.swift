/// Reads the fixed structures of AP1 from the front of some bytes; every length is checked before anything is touched (protocol §2).
package struct ByteReader: Sendable {
    private let bytes: [UInt8]
    private(set) var offset = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var remaining: Int { bytes.count - offset }

    package mutating func fixed(_ count: Int) throws(WireError) -> [UInt8] {
        guard count >= 0, remaining >= count else { throw .truncated }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    package mutating func u8() throws(WireError) -> UInt8 {
        guard remaining >= 1 else { throw .truncated }
        defer { offset += 1 }
        return bytes[offset]
    }

    package mutating func u16() throws(WireError) -> UInt16 { UInt16(try unsigned(2)) }
    package mutating func u32() throws(WireError) -> UInt32 { UInt32(try unsigned(4)) }
    package mutating func u64() throws(WireError) -> UInt64 { try unsigned(8) }
    package mutating func instant() throws(WireError) -> Instant { Instant(try u64()) }

    private mutating func unsigned(_ count: Int) throws(WireError) -> UInt64 {
        guard remaining >= count else { throw .truncated }
        var value: UInt64 = 0
        for index in offset..<offset + count { value = value << 8 | UInt64(bytes[index]) }
        offset += count
        return value
    }

    /// Up to `cap` bytes behind a one-byte length.
    package mutating func v8(cap: Int = 255) throws(WireError) -> [UInt8] {
        let count = Int(try u8())
        guard count <= cap else { throw .badLength }
        return try fixed(count)
    }

    /// Up to `cap` bytes behind a two-byte length.
    package mutating func v16(cap: Int = 65_535) throws(WireError) -> [UInt8] {
        let count = Int(try u16())
        guard count <= cap else { throw .badLength }
        return try fixed(count)
    }

    /// v8(0|count): nothing, or exactly `count` bytes.
    package mutating func optional8(_ count: Int) throws(WireError) -> [UInt8]? {
        let value = try v8()
        guard value.isEmpty || value.count == count else { throw .badLength }
        return value.isEmpty ? nil : value
    }

    package mutating func text8() throws(WireError) -> String { try WireText.decode(try v8()) }
    package mutating func text16(cap: Int = 65_535) throws(WireError) -> String { try WireText.decode(try v16(cap: cap)) }

    /// An enumeration on one byte; an unknown value is an error.
    package mutating func choice<Choice: RawRepresentable<UInt8>>(_: Choice.Type = Choice.self) throws(WireError) -> Choice {
        guard let value = Choice(rawValue: try u8()) else { throw .badValue }
        return value
    }

    /// A count byte, then the items.
    package mutating func list<Item>(
        cap: Int = 255, _ item: (inout ByteReader) throws(WireError) -> Item
    ) throws(WireError) -> [Item] {
        let count = Int(try u8())
        guard count <= cap else { throw .badLength }
        var items: [Item] = []
        for _ in 0..<count { items.append(try item(&self)) }
        return items
    }

    /// A structure that stands inside this one, together with its bytes as they were received.
    package mutating func part<Value: WireStruct>(_: Value.Type = Value.self) throws(WireError) -> Encoded<Value> {
        let start = offset
        let value = try Value(from: &self)
        return Encoded(value: value, bytes: Array(bytes[start..<offset]))
    }

    /// v8 around one structure that must fill it.
    package mutating func part8<Value: WireStruct>(_: Value.Type = Value.self) throws(WireError) -> Encoded<Value> {
        try Encoded(decoding: try v8())
    }

    /// v8 around nothing, or around one structure that must fill it.
    package mutating func optionalPart8<Value: WireStruct>(_: Value.Type = Value.self) throws(WireError) -> Encoded<Value>? {
        let bytes = try v8()
        return bytes.isEmpty ? nil : try Encoded(decoding: bytes)
    }

    /// v16 around one structure that must fill it.
    package mutating func part16<Value: WireStruct>(_: Value.Type = Value.self) throws(WireError) -> Encoded<Value> {
        try Encoded(decoding: try v16())
    }

    /// v16 around nothing, or around one structure that must fill it.
    package mutating func optionalPart16<Value: WireStruct>(_: Value.Type = Value.self) throws(WireError) -> Encoded<Value>? {
        let bytes = try v16()
        return bytes.isEmpty ? nil : try Encoded(decoding: bytes)
    }

    package func finish() throws(WireError) {
        guard remaining == 0 else { throw .trailingBytes }
    }
}
