import OstiaryProtocol
import Synchronization

/// Bytes that are the same in every run with the same seed; no two calls get the same.
package final class SeededRandom: RandomSource {
    private let seed: [UInt8]
    private let counter = Mutex<UInt64>(0)

    package init(_ seed: String) { self.seed = SHA(Array(seed.utf8)) }

    package func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let block = counter.withLock { counter in
                counter += 1
                return counter
            }
            var writer = ByteWriter()
            writer.raw(seed)
            writer.u64(block)
            bytes += SHA(writer.bytes)
        }
        return Array(bytes.prefix(count))
    }

    package func below(_ limit: Int) -> Int {
        Int(bytes(4).reduce(0) { $0 << 8 | UInt32($1) }) % limit
    }
}
