import HTTPService
import OAuthProvider
import OstiaryProtocol
import Synchronization

/// How often each place has typed a device code that none is. Of this process: who asks several nodes has as many tries at each.
final class TypedCodes: Sendable {
    /// Places of which it remembers anything; of more, the one that was wrong longest ago is forgotten.
    static let most = 10_000

    private let tries = Mutex<[Peer?: UserCodeTries]>([:])

    /// - Parameter peer: nil for one without an address, all of which count as one place.
    func isLocked(_ peer: Peer?, at now: Instant) -> Bool { tries.withLock { $0[peer]?.isLocked(at: now) ?? false } }

    func noteWrong(_ peer: Peer?, at now: Instant) {
        tries.withLock { tries in
            tries[peer] = (tries[peer] ?? UserCodeTries()).afterWrong(at: now)
            guard tries.count > Self.most else { return }
            let oldest = tries.min { ($0.value.wrong.last ?? Instant(0)) < ($1.value.wrong.last ?? Instant(0)) }
            if let oldest { tries[oldest.key] = nil }
        }
    }
}
