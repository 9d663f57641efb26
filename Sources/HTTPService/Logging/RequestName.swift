import Synchronization

/// Names requests: 32 digits, of which the first sixteen are the process's and the last count up from somewhere.
package enum RequestName {
    private static let first = UInt64.random(in: .min ... .max)
    private static let count = Atomic(UInt64.random(in: .min ... .max))

    /// Another one. As text and nothing else: it stands in a head, a line of the log and a body, and is written out once.
    package static func next() -> String { text(first, nextCount()) }

    /// Digits of a name.
    static let length = 32

    /// Another one, written where it shall stand.
    /// - Parameter text: room for ``length`` digits.
    static func writeNext(to text: UnsafeMutableBufferPointer<UInt8>) { write(first, nextCount(), to: text) }

    static func text(_ first: UInt64, _ second: UInt64) -> String {
        String(unsafeUninitializedCapacity: length) { text in
            write(first, second, to: text)
            return length
        }
    }

    private static func nextCount() -> UInt64 { count.wrappingAdd(1, ordering: .relaxed).newValue }

    private static func write(_ first: UInt64, _ second: UInt64, to text: UnsafeMutableBufferPointer<UInt8>) {
        for place in 0..<16 {
            text[place] = digit(first, place)
            text[16 + place] = digit(second, place)
        }
    }

    private static func digit(_ number: UInt64, _ place: Int) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * place) & 15)
        return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
