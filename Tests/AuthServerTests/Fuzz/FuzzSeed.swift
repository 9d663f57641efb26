import Foundation
import OstiaryProtocol
import OstiaryTesting
import Synchronization

/// Where the choices of the fuzz come from. `make fuzz` sets another seed for each round and prints it; the same seed makes the same choices again.
/// Keys and what servers draw are new each time.
final class FuzzSeed: Sendable {
    static var text: String { ProcessInfo.processInfo.environment["OSTIARY_FUZZ_SEED"] ?? "Ostiary" }
    /// How often as much as in `make test`.
    static var rounds: Int { ProcessInfo.processInfo.environment["OSTIARY_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 1 }

    /// Whether so much is sent that all is surely reached: on SQLite. Most messages come to no row; PostgreSQL has to take the texts and numbers of the others.
    static var reachesAll: Bool { DatabaseEngine.current == .sqlite }
    /// As many messages, or a quarter of them.
    static func times(_ count: Int) -> Int { reachesAll ? count : count / 4 }

    private let state: Mutex<UInt64>

    /// - Parameter part: the test that draws.
    init(_ part: String) {
        state = Mutex(SHA(Array("\(Self.text) \(part)".utf8)).prefix(8).reduce(1) { $0 << 8 | UInt64($1) } | 1)
    }

    /// xorshift64*
    func next() -> UInt64 {
        state.withLock { state in
            state ^= state >> 12
            state ^= state << 25
            state ^= state >> 27
            return state &* 2_685_821_657_736_338_717
        }
    }

    func below(_ bound: Int) -> Int { Int(next() >> 33) % max(1, bound) }
    func chance(_ one: Int) -> Bool { below(one) == 0 }
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 32) } }
    func pick<Item>(_ items: [Item]) -> Item? { items.isEmpty ? nil : items[below(items.count)] }

    /// Values at which programs break.
    private static let edges: [UInt8] = [0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF]

    /// The bytes with one to four changes: bits, edge values, pieces cut out, doubled, exchanged or put in from elsewhere.
    func mutate(_ bytes: [UInt8], with others: [[UInt8]] = []) -> [UInt8] {
        var bytes = bytes
        // A small change mostly still decodes, and so gets further.
        if chance(3), !bytes.isEmpty {
            bytes[below(bytes.count)] = self.bytes(1)[0]
            return bytes
        }
        for _ in 0...below(4) {
            guard !bytes.isEmpty else { return self.bytes(below(40)) }
            let place = below(bytes.count)
            let end = min(bytes.count, place + 1 + below(40))
            switch below(8) {
            case 0: bytes[place] ^= 1 << UInt8(below(8))
            case 1: bytes[place] = Self.edges[below(Self.edges.count)]
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 4: bytes.insert(contentsOf: self.bytes(1 + below(40)), at: place)
            case 5: for index in place..<end { bytes[index] = chance(2) ? 0 : 0xFF }
            case 6: if let other = pick(others) { bytes = Array(bytes.prefix(place) + other.suffix(other.count - min(place, other.count))) }
            default: bytes = Array(bytes.prefix(place))
            }
        }
        return Array(bytes.prefix(60_000))
    }
}
