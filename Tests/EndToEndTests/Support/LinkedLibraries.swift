import Foundation

/// The shared libraries that a program wants loaded before it begins, as its file says (System V ABI, the dynamic section; ELF of 64 bits, little-endian).
struct LinkedLibraries {
    /// In the order of the file, `libc.so.6` among them.
    let names: [String]

    /// Without what stands behind `.so`.
    var stems: Set<String> { Set(names.map { $0.components(separatedBy: ".so")[0] }) }

    struct NoProgram: Error, Equatable {}

    /// - Throws: ``NoProgram`` when the file is none of these.
    init(of file: URL) throws {
        let image = Image(bytes: try Data(contentsOf: file, options: .alwaysMapped))
        let segments = try image.segments()
        guard let dynamic = segments.first(where: { $0.kind == Segment.dynamic }) else { throw NoProgram() }
        let entries = try stride(from: dynamic.offset, to: dynamic.offset + dynamic.size, by: 16).map { offset in
            (tag: try image.number(UInt64.self, at: offset), value: try image.number(UInt64.self, at: offset + 8))
        }.prefix { $0.tag != 0 }
        guard let table = entries.first(where: { $0.tag == 5 })?.value,
            let holder = segments.first(where: { $0.kind == Segment.loaded && $0.address <= table && table < $0.address + UInt64($0.size) })
        else { throw NoProgram() }
        let texts = holder.offset + Int(table - holder.address)
        names = try entries.filter { $0.tag == 1 }.map { try image.text(at: texts + Int($0.value)) }
    }

    private struct Segment {
        static let (loaded, dynamic): (UInt32, UInt32) = (1, 2)
        let kind: UInt32
        let offset: Int
        let address: UInt64
        let size: Int
    }

    private struct Image {
        let bytes: Data

        func segments() throws -> [Segment] {
            guard bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]) else { throw NoProgram() }
            let (first, length) = (try number(UInt64.self, at: 32), try number(UInt16.self, at: 54))
            return try (0..<Int(try number(UInt16.self, at: 56))).map { index in
                let place = Int(first) + index * Int(length)
                return Segment(
                    kind: try number(UInt32.self, at: place), offset: Int(try number(UInt64.self, at: place + 8)),
                    address: try number(UInt64.self, at: place + 16), size: Int(try number(UInt64.self, at: place + 32)))
            }
        }

        func number<Number: FixedWidthInteger>(_: Number.Type, at offset: Int) throws -> Number {
            guard offset >= 0, offset + MemoryLayout<Number>.size <= bytes.count else { throw NoProgram() }
            return bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
        }

        func text(at offset: Int) throws -> String {
            guard bytes.indices.contains(offset) else { throw NoProgram() }
            return String(decoding: bytes[offset...].prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
