import Synchronization

/// The proofs that were taken by this process, in memory, with a bound. One is remembered for as long as another like it would be good, and half a minute to
/// a minute longer, so that a call whose `now` is a little behind finds it.
public final class ProofMemory: SpentProofs {
    /// Seconds that are forgotten together.
    private static let span: UInt64 = 30

    private let most: Int
    private let spent = Mutex<[UInt64: Set<Name>]>([:])

    /// 16 bytes of a hash are enough for no two to be the same by accident, and nobody gains by making two of their own the same.
    private struct Name: Hashable {
        let first, second: UInt64

        init(_ bytes: [UInt8]) {
            func word(_ start: Int) -> UInt64 { bytes.dropFirst(start).prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
            first = word(0)
            second = word(8)
        }
    }

    /// - Parameter most: how many are remembered; 200,000 take some 10 MB and are enough for a thousand requests with proofs a second. When it is full, requests
    ///   with proofs are refused with 503 until some are over: forgetting one earlier would let it be used again.
    public init(most: Int = 200_000) { self.most = most }

    /// - Throws: ``ProofMemoryFull``.
    public func spend(_ name: [UInt8], until end: UInt64, now: UInt64) throws -> Bool {
        let name = Name(name)
        return try spent.withLock { spent in
            for span in spent.keys where span + 1 < now / Self.span { spent[span] = nil }
            guard !spent.values.contains(where: { $0.contains(name) }) else { return false }
            guard spent.values.reduce(0, { $0 + $1.count }) < most else { throw ProofMemoryFull() }
            spent[end / Self.span, default: []].insert(name)
            return true
        }
    }
}
