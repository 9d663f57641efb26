import OstiaryProtocol
import Synchronization

@testable import SecondFactor

/// The second-factor server as it is: its service over a store in memory, with real keys.
final class SecondFactorInMemory: Sendable {
    static let mostTries = Policy.standard.maxAttempts

    private let store = InMemorySecondFactorStore()
    private let evaluator = CountingEvaluator()
    private let service: SecondFactorService
    private let keys: Keys

    /// - Parameters:
    ///   - roots: hashes of the roots of the servers that may call.
    ///   - mostWithoutPIN: biometrics that may follow without a PIN; 0 for no limit.
    init(_ keys: FixtureKeys, trusting roots: [[UInt8]], mostWithoutPIN: Int) throws {
        self.keys = try Keys(keys)
        service = SecondFactorService(
            trustedRoots: roots, store: store, policy: try Policy(maxNumberWithoutPIN: mostWithoutPIN), evaluator: evaluator)
    }

    /// - Returns: nil where it signs no answer.
    func answer(_ call: SecondFactorCall, at now: Instant) async throws -> SecondFactorAnswer? {
        guard case .answered(let bytes, _) = try await service.answer(call.encoded, with: keys, at: now) else { return nil }
        return try SecondFactorAnswer(decoding: bytes)
    }
}

/// What tests look at, and what they do to its database.
extension SecondFactorInMemory {
    /// What it has counted for an instance.
    struct Count: Sendable {
        let deviceKeys: Set<[UInt8]>
        let highest: UInt64
        let failed: UInt64
        let withoutPIN: UInt16
    }

    struct Backup: Sendable {
        fileprivate let contents: MemoryState
    }

    var evaluations: Int { evaluator.evaluations }

    /// Nil for an instance that never was or is closed.
    func counter(of id: InstanceID) -> Count? {
        guard let instance = store.contents.instances[id], instance.openKeys != nil else { return nil }
        let counter = instance.counter
        return Count(
            deviceKeys: Set(instance.deviceKeys), highest: counter.highest, failed: counter.failed, withoutPIN: instance.withoutPIN)
    }

    func secondFactorKey(of instance: InstanceID) -> [UInt8]? { store.contents.instances[instance]?.openKeys?.secondFactorKey }

    var closed: Set<InstanceID> { Set(store.contents.instances.values.filter { $0.state == .closed }.map(\.id)) }

    /// Whether nothing was ever counted or made.
    var isEmpty: Bool {
        let contents = store.contents
        return contents.instances.isEmpty && contents.attempts.isEmpty && contents.pending.isEmpty
    }

    func backUp() -> Backup { Backup(contents: store.contents) }
    func restore(_ backup: Backup) { store.contents = backup.contents }

    /// A Close that the authentication server has forgotten since.
    func close(_ instance: InstanceID, at now: Instant) async throws {
        guard let owner = store.contents.instances[instance]?.owner else { throw MissingValue() }
        _ = try await service.administration.close(instance, by: owner, at: now)
    }

    /// As if the last try of each instance had been right.
    func forgetFailures() {
        var contents = store.contents
        for (id, instance) in contents.instances { contents.instances[id]?.counter.prove(instance.counter.highest, at: Instant(0)) }
        store.contents = contents
    }
}

/// The keys of a world's second-factor server, as a call needs them.
private struct Keys: OwnKeys {
    let operatorKey: OperatorKey
    let receiptKeys: OperatorKeys
    private let prekey: PrekeySecret

    init(_ keys: FixtureKeys) throws {
        operatorKey = keys.operatorKey
        receiptKeys = try OperatorKeys.verify(keys.chain.value, rootHash: keys.root.hash)
        prekey = keys.prekey
    }

    func open(_ request: [UInt8]) -> OpenedRequest? { try? OpenedRequest(request, with: prekey) }
}

/// Evaluation keys as they are, and what was evaluated under them: the same element of the same attempt again is the same bytes, and counts once.
private final class CountingEvaluator: Evaluator {
    private struct Use: Hashable {
        let attempt: AttemptID
        let blinded: GroupElement
    }

    private let used = Mutex<Set<Use>>([])

    var evaluations: Int { used.withLock(\.count) }

    func makeKey(for instance: InstanceID, epoch: UInt32) throws -> FreshKey {
        let key = try OPRFKey.generate()
        return FreshKey(wrapped: WrappedKey(key.stored.exposed), publicKey: key.publicKey)
    }

    func evaluate(_ blinded: GroupElement, under key: WrappedKey, for attempt: AttemptRecord) throws -> [UInt8] {
        used.withLock { _ = $0.insert(Use(attempt: attempt.id, blinded: blinded)) }
        return try OPRFKey(SecretBytes(key.bytes), publicKey: attempt.newEvaluationKey).evaluate(blinded, attempt: attempt.id)
    }
}
