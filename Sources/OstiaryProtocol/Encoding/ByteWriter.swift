/// Writes the fixed structures of AP1 (protocol §2). Lengths are the caller's duty: values were checked when they were made, so a
/// wrong one is a mistake in this program and stops it in the writer, before a byte leaves.
package struct ByteWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func u8(_ value: UInt8) { bytes.append(value) }
    package mutating func u16(_ value: UInt16) { unsigned(UInt64(value), 2) }
    package mutating func u32(_ value: UInt32) { unsigned(UInt64(value), 4) }
    package mutating func u64(_ value: UInt64) { unsigned(value, 8) }
    package mutating func instant(_ value: Instant) { u64(value.seconds) }

    private mutating func unsigned(_ value: UInt64, _ count: Int) {
        for shift in stride(from: (count - 1) * 8, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift))) }
    }

    package mutating func fixed(_ value: [UInt8], _ count: Int) {
        precondition(value.count == count, "a field of \(count) bytes was given \(value.count)")
        bytes += value
    }

    package mutating func raw(_ value: [UInt8]) { bytes += value }

    package mutating func v8(_ value: [UInt8]) {
        precondition(value.count <= 255, "a v8 field was given \(value.count) bytes")
        u8(UInt8(value.count))
        bytes += value
    }

    package mutating func v16(_ value: [UInt8]) {
        precondition(value.count <= 65_535, "a v16 field was given \(value.count) bytes")
        u16(UInt16(value.count))
        bytes += value
    }

    package mutating func optional8(_ value: [UInt8]?, _ count: Int) {
        precondition(value == nil || value?.count == count, "an optional field of \(count) bytes has another length")
        v8(value ?? [])
    }

    package mutating func text8(_ value: String) { v8(WireText.encode(value, cap: 255)) }
    package mutating func text16(_ value: String, cap: Int = 65_535) { v16(WireText.encode(value, cap: cap)) }

    package mutating func choice(_ value: some RawRepresentable<UInt8>) { u8(value.rawValue) }

    package mutating func list<Item>(_ items: [Item], _ item: (inout ByteWriter, Item) -> Void) {
        precondition(items.count <= 255, "a list was given \(items.count) items")
        u8(UInt8(items.count))
        for each in items { item(&self, each) }
    }

    package mutating func part(_ value: Encoded<some WireStruct>) { bytes += value.bytes }
    package mutating func part8(_ value: Encoded<some WireStruct>?) { v8(value?.bytes ?? []) }
    package mutating func part16(_ value: Encoded<some WireStruct>?) { v16(value?.bytes ?? []) }
}
