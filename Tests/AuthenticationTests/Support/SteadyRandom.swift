import OstiaryProtocol
import Synchronization

/// Random bytes that a run can repeat: no two calls get the same.
final class SteadyRandom: RandomSource {
    private let drawn = Mutex<UInt64>(0)
    private let seed: String

    init(_ seed: String) { self.seed = seed }

    func bytes(_ count: Int) -> [UInt8] {
        let number = drawn.withLock { drawn in
            drawn += 1
            return drawn
        }
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += SHA(Array("\(seed) \(number) \(bytes.count)".utf8)) }
        return Array(bytes.prefix(count))
    }
}

/// A value that a test cannot do without.
struct MissingValue: Error {}

func present<Value>(_ value: Value?) throws(MissingValue) -> Value {
    guard let value else { throw MissingValue() }
    return value
}
