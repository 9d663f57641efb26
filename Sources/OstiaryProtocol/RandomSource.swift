/// Where fresh random bytes come from; a parameter so that tests can repeat a run.
package protocol RandomSource: Sendable {
    func bytes(_ count: Int) -> [UInt8]
}

extension RandomSource {
    /// 32 random bits.
    package func u32() -> UInt32 { bytes(4).reduce(0) { $0 << 8 | UInt32($1) } }
}

/// The operating system's generator.
package struct SystemRandomSource: RandomSource {
    package init() {}

    /// Asked for eight bytes at a time: each question is a system call.
    package func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return Array(unsafeUninitializedCapacity: count) { buffer, initialized in
            while initialized < count {
                withUnsafeBytes(of: generator.next() as UInt64) { word in
                    for byte in word.prefix(count - initialized) {
                        buffer.initializeElement(at: initialized, to: byte)
                        initialized += 1
                    }
                }
            }
        }
    }
}
