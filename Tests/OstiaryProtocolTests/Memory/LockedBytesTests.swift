import OstiaryProtocol
import Testing

@Suite("Locked bytes")
struct LockedBytesTests {
    static func contents(_ bytes: LockedBytes) -> [UInt8] { bytes.withUnsafeBytes { Array($0) } }

    @Test("They grow to their capacity and no further")
    func capacity() throws {
        let pin = try LockedBytes(capacity: 3)
        try pin.append(0x31)
        try pin.append(contentsOf: [0x32, 0x33])
        #expect(throws: LockedMemoryError.full) { try pin.append(0x34) }
        #expect(Self.contents(pin) == [0x31, 0x32, 0x33])
    }

    @Test("What does not fit is not stored in part")
    func allOrNothing() throws {
        let pin = try LockedBytes(capacity: 3)
        try pin.append(1)
        #expect(throws: LockedMemoryError.full) { try pin.append(contentsOf: [2, 3, 4]) }
        #expect(Self.contents(pin) == [1])
    }

    @Test("Removed and cleared bytes are wiped, and their room is free again")
    func wiping() throws {
        let pin = try LockedBytes(copying: [9, 8, 7])
        pin.removeLast()
        #expect(Self.contents(pin) == [9, 8])
        let afterLast = pin.withUnsafeBytes { bytes in bytes.baseAddress?.load(fromByteOffset: 2, as: UInt8.self) }
        #expect(afterLast == 0)
        pin.clear()
        pin.removeLast()
        #expect(pin.isEmpty)
        let wiped = pin.withUnsafeBytes { bytes in
            UnsafeRawBufferPointer(start: bytes.baseAddress, count: 3).allSatisfy { $0 == 0 }
        }
        #expect(wiped)
        try pin.append(contentsOf: [1, 2, 3])
        #expect(pin.count == 3)
    }

    @Test("Filling that fails leaves nothing behind")
    func failedFill() throws {
        struct Failure: Error, Equatable {}
        let bytes = try LockedBytes(capacity: 4)
        #expect(throws: Failure()) {
            try bytes.fill { (memory) throws(Failure) in
                memory.storeBytes(of: 0xFFFF_FFFF, as: UInt32.self)
                throw Failure()
            }
        }
        #expect(bytes.isEmpty)
        bytes.fill { memory in #expect(memory.allSatisfy { $0 == 0 }) }
        #expect(bytes.count == 4)
    }

    @Test("Matching compares contents, whatever the capacity")
    func matching() throws {
        let one = try LockedBytes(copying: [1, 2, 3])
        let other = try LockedBytes(capacity: 8)
        try other.append(contentsOf: [1, 2])
        #expect(!one.matches(other))
        try other.append(3)
        #expect(one.matches(other) && other.matches(one) && one.matches(one))
        try other.append(4)
        other.removeLast()
        #expect(one.matches(other))
        #expect(try LockedBytes(capacity: 0).matches(try LockedBytes(capacity: 5)))
    }

    @Test("The beginning of a PIN is not the PIN, whichever of the two stands first in memory")
    func prefixes() throws {
        let pairs = try (0..<8).map { index in
            let (whole, part) = (Array("271828".utf8), Array("27182".utf8))
            let first = try LockedBytes(copying: index.isMultiple(of: 2) ? whole : part)
            return (first, try LockedBytes(copying: index.isMultiple(of: 2) ? part : whole))
        }
        for (first, second) in pairs { #expect(!first.matches(second) && !second.matches(first)) }
    }

    @Test("Many tasks may append and compare crosswise at once")
    func concurrency() async throws {
        let left = try LockedBytes(capacity: 400)
        let right = try LockedBytes(capacity: 400)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                group.addTask {
                    try left.append(UInt8(index))
                    _ = left.matches(right)
                }
                group.addTask {
                    try right.append(UInt8(index))
                    _ = right.matches(left)
                }
            }
            try await group.waitForAll()
        }
        #expect(Self.contents(left).sorted() == (0..<200).map { UInt8($0) })
        #expect(right.count == 200)
    }

    @Test("They print as ‹secret› and show nothing to a mirror")
    func redacted() throws {
        let pin = try LockedBytes(copying: Array("493817".utf8))
        var dumped = ""
        dump(pin, to: &dumped)
        #expect("\(pin) \(String(reflecting: pin))" == "‹secret› ‹secret›")
        #expect(Mirror(reflecting: pin).children.isEmpty && !dumped.contains("52"))
    }
}
