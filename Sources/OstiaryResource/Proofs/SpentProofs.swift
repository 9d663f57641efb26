/// Remembers which proofs of possession were taken, so that none is taken twice (RFC 9449 §11.1).
///
/// ``ProofMemory`` remembers for one process. Of an API that runs in several, a proof could be shown to each of them once: give them a memory that they
/// share, one row a proof with a unique name and an end.
public protocol SpentProofs: Sendable {
    /// - Parameters:
    ///   - name: 32 bytes, of one proof of one key.
    ///   - end: until when it has to be remembered, in Unix seconds: half a minute longer than the proof is good, and at most two and a half minutes ahead.
    ///     It may be forgotten when the clock of the memory is past that, whatever `now` another call brings.
    ///   - now: Unix seconds, read just before; the proof is still good then.
    /// - Returns: false when it was there before. Of several calls with one name at the same time exactly one is true.
    /// - Throws: anything, when that can't be told. The request is refused then.
    func spend(_ name: [UInt8], until end: UInt64, now: UInt64) async throws -> Bool
}

/// That as many proofs are remembered as there may be.
public struct ProofMemoryFull: Error, Equatable, Sendable {
    public init() {}
}
