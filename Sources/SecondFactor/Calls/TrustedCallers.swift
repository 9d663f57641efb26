import OstiaryProtocol
import Synchronization

/// Tells whether a chain belongs to an authentication server that the operator trusts. Chains that were verified are remembered, all
/// their bytes: one that differs is another.
final class TrustedCallers: Sendable {
    /// A server shows one chain until its operational key changes; when this many were seen, all are forgotten.
    private static let memory = 64

    private let rootHashes: Set<[UInt8]>
    private let verified = Mutex<[[UInt8]: Caller]>([:])

    init(_ rootHashes: [[UInt8]]) { self.rootHashes = Set(rootHashes) }

    /// The caller, or nil for another root and for a chain whose signatures do not lead to it.
    func caller(_ chain: Encoded<ServerChain>) -> Caller? {
        if let known = verified.withLock({ $0[chain.bytes] }) { return known }
        let rootHash = chain.value.root.hash
        guard rootHashes.contains(rootHash), let keys = try? OperatorKeys.verify(chain.value, rootHash: rootHash) else { return nil }
        let caller = Caller(keys)
        verified.withLock { verified in
            if verified.count >= Self.memory { verified = [:] }
            verified[chain.bytes] = caller
        }
        return caller
    }
}
