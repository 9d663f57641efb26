import OstiaryProtocol
import Synchronization

/// Bytes that are the same in every run with the same seed.
final class SeededRandom: RandomSource {
    private let seed: [UInt8]
    private let counter = Mutex<UInt64>(0)

    init(_ seed: String) { self.seed = SHA(Array(seed.utf8)) }

    func bytes(_ count: Int) -> [UInt8] {
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

    func below(_ limit: Int) -> Int {
        Int(bytes(4).reduce(0) { $0 << 8 | UInt32($1) }) % limit
    }
}

/// A clock that only the test moves.
final class TestClock: Sendable {
    private let moment: Mutex<Instant>

    init(_ start: Instant = Instant(1_800_000_000)) { moment = Mutex(start) }

    var now: Instant { moment.withLock { $0 } }

    func advance(by seconds: UInt64) { moment.withLock { $0 = $0 + seconds } }
    func setBack(by seconds: UInt64) { moment.withLock { $0 = $0 - seconds } }
}
