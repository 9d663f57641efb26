/// `ext`: v16 of (type u16, value v16), strictly ascending; the top bit of a type means that whoever does not know it must refuse (protocol §2).
package struct Extensions: Sendable, Equatable {
    package struct Item: Sendable, Equatable {
        package let type: UInt16
        package let value: [UInt8]

        package init(type: UInt16, value: [UInt8]) {
            self.type = type
            self.value = value
        }
    }

    package let items: [Item]

    package static let none = Extensions(items: [])

    init(items: [Item]) { self.items = items }

    /// Unknown types are kept when they are not critical, so that the bytes stay what they were. No critical type exists yet.
    init(from reader: inout ByteReader) throws(WireError) {
        var inner = ByteReader(try reader.v16())
        var items: [Item] = []
        while inner.remaining > 0 {
            let item = Item(type: try inner.u16(), value: try inner.v16())
            if let last = items.last, last.type >= item.type { throw .badExtension }
            guard item.type & 0x8000 == 0 else { throw .badExtension }
            items.append(item)
        }
        self.items = items
    }

    func write(to writer: inout ByteWriter) {
        var inner = ByteWriter()
        for item in items {
            inner.u16(item.type)
            inner.v16(item.value)
        }
        writer.v16(inner.bytes)
    }
}
