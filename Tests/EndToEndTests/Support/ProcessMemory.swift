import Foundation

/// The memory of a process as the kernel shows it: every mapping that can be read, which is more than a core dump would hold.
struct ProcessMemory {
    private struct Mapping {
        let range: Range<UInt>
        let name: String

        /// A line of `maps`; nil for what cannot be read, and for the kernel's own pages.
        init?(_ line: String) {
            let fields: [Substring] = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard fields.count >= 5, fields[1].hasPrefix("r") else { return nil }
            let ends: [Substring] = fields[0].split(separator: "-")
            guard ends.count == 2, let start = UInt(ends[0], radix: 16), let end = UInt(ends[1], radix: 16), start < end else { return nil }
            range = start..<end
            name = fields.count > 5 ? String(fields[5]) : "anonymous"
            if name.hasPrefix("[v") { return nil }
        }
    }

    private let folder: String

    /// This very process.
    static let own = ProcessMemory(folder: "/proc/self")

    /// A process that we started.
    init(of process: Int32) { folder = "/proc/\(process)" }

    private init(folder: String) { self.folder = folder }

    /// Where `needle` is found, by the names of the mappings; `except` is left out.
    func places(of needle: UnsafeRawBufferPointer, except: UnsafeRawBufferPointer? = nil) throws -> [String] {
        let excluded = except.flatMap { buffer in buffer.baseAddress.map { UInt(bitPattern: $0)..<UInt(bitPattern: $0) + UInt(buffer.count) } }
        let memory = open("\(folder)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw MemoryUnreadable(number: errno) }
        defer { close(memory) }
        let window = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4_096)
        // What it held is not to be found by the next search, wherever that one has its window.
        defer {
            window.initializeMemory(as: UInt8.self, repeating: 0)
            window.deallocate()
        }
        let own = UInt(bitPattern: window.baseAddress)..<UInt(bitPattern: window.baseAddress) + UInt(window.count)
        var places: [String] = []
        // Left out as exactly as they are: neighbours in memory may be one mapping.
        let skipped = [excluded, folder == "/proc/self" ? own : nil].compactMap { $0 }
        for mapping in try mappings() {
            var start = mapping.range.lowerBound
            while start < mapping.range.upperBound {
                let wanted = min(UInt(window.count), mapping.range.upperBound - start)
                let count = pread(memory, window.baseAddress, Int(wanted), off_t(bitPattern: start))
                // One page that cannot be read hides no other: memory moves while it is looked at.
                guard count > 0 else {
                    start += 4_096
                    continue
                }
                let found = Self.parts(of: start..<start + UInt(count), without: skipped).contains { part in
                    let bytes = window[Int(part.lowerBound - start)..<Int(part.upperBound - start)]
                    return Self.contains(needle, in: UnsafeRawBufferPointer(rebasing: bytes))
                }
                if found { places.append(mapping.name) }
                // What lies across the edge of two windows is seen by the next.
                start += UInt(count) < wanted || wanted <= UInt(needle.count) ? UInt(count) : wanted - UInt(needle.count)
            }
        }
        return places
    }

    private static func parts(of range: Range<UInt>, without holes: [Range<UInt>]) -> [Range<UInt>] {
        holes.reduce([range]) { parts, hole in
            parts.flatMap { part in
                let hole = hole.clamped(to: part)
                return [part.lowerBound..<hole.lowerBound, hole.upperBound..<part.upperBound]
            }
        }
    }

    private static func contains(_ needle: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = needle.baseAddress, let first = needle.first, var place = bytes.baseAddress else { return false }
        let end = place + bytes.count
        while let found = memchr(place, Int32(first), end - place) {
            let candidate = UnsafeRawPointer(found)
            guard end - candidate >= needle.count else { return false }
            if memcmp(candidate, start, needle.count) == 0 { return true }
            place = candidate + 1
        }
        return false
    }

    /// Read to its end, which Foundation does not: the kernel gives a page of it at a time, and the first short piece was taken for the whole.
    private func mappings() throws -> [Mapping] {
        let file = open("\(folder)/maps", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw MemoryUnreadable(number: errno) }
        defer { close(file) }
        var (text, piece): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 1 << 16))
        while true {
            let count = read(file, &piece, piece.count)
            guard count >= 0 else { throw MemoryUnreadable(number: errno) }
            if count == 0 { break }
            text += piece.prefix(count)
        }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { Mapping(String($0)) }
    }
}

/// The kernel does not show it.
struct MemoryUnreadable: Error {
    let number: Int32
}
