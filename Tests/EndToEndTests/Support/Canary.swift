import Foundation
import OstiaryMobile

/// A PIN of twelve random digits that exists nowhere but on a page of its own, so that every other place where it is found is a leak. It is one that can be
/// set: of twelve digits one in fifty has a run that is too easy to guess, and a phone refuses it.
final class Canary: @unchecked Sendable {
    /// The whole page.
    let page: UnsafeRawBufferPointer
    private let memory: UnsafeMutableRawPointer
    private static let pageSize = 4_096
    static let digits = 12

    init() throws {
        guard let memory = mmap(nil, Self.pageSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), memory != MAP_FAILED else {
            throw MemoryUnreadable(number: errno)
        }
        self.memory = memory
        page = UnsafeRawBufferPointer(start: memory, count: Self.pageSize)
        repeat { draw() } while isEasyToGuess
    }

    private func draw() {
        for index in 0..<Self.digits {
            memory.storeBytes(of: UInt8(ascii: "0") + UInt8.random(in: 0...9), toByteOffset: index, as: UInt8.self)
        }
    }

    /// Looked at in memory that is wiped.
    private var isEasyToGuess: Bool {
        let pin = PIN()
        type(into: pin)
        defer { pin.clear() }
        return pin.isEasyToGuess
    }

    deinit { munmap(memory, Self.pageSize) }

    /// The digits where they are.
    var needle: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: page.prefix(Self.digits)) }

    /// Types the digits, one by one.
    func type(into pin: PIN) { for index in 0..<Self.digits { pin.append(digit: page[index] - UInt8(ascii: "0")) } }
}
