import Database
import HTTPService
import OstiaryProtocol
import SecondFactor
import SecondFactorServer
import Synchronization

/// Evaluates like the server does and remembers what was asked: how many different guesses an attacker could see judged.
final class CountingEvaluator: Evaluator {
    private let evaluator: WrappedKeyEvaluator
    private let seen = Mutex<[InstanceID: Set<GroupElement>]>([:])

    init(keyEncryptionKey: KeyEncryptionKey) { evaluator = WrappedKeyEvaluator(keyEncryptionKey: keyEncryptionKey) }

    func makeKey(for instance: InstanceID, epoch: UInt32) throws -> FreshKey { try evaluator.makeKey(for: instance, epoch: epoch) }

    func evaluate(_ blinded: GroupElement, under key: WrappedKey, for attempt: AttemptRecord) throws -> [UInt8] {
        seen.withLock { _ = $0[attempt.instanceID, default: []].insert(blinded) }
        return try evaluator.evaluate(blinded, under: key, for: attempt)
    }

    /// Different blinded elements that were evaluated for an instance.
    func guesses(of instance: InstanceID) -> Int { seen.withLock { $0[instance]?.count ?? 0 } }

    /// Forgets the evaluations so far, the one that set the PIN for example.
    func forget() { seen.withLock { $0 = [:] } }
}
