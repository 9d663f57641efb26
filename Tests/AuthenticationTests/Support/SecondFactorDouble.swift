import Authentication
import OstiaryProtocol
import Synchronization

/// A second-factor server in memory: it counts before it evaluates, with a real key, and signs what it says (protocol §7).
/// The 120 s of a proof are not watched.
final class SecondFactorDouble: SecondFactorGateway {
    static let mostTries: UInt64 = 5
    static let penalties: [UInt64] = [0, 0, 30, 300, 0]

    /// What a test may make go wrong.
    struct Mishaps: Sendable {
        var isDown = false
        /// The call is carried out, but its answer gets lost.
        var losesAnswers = false
        /// Answers are signed by a key that the pinned root did not certify.
        var signsAsStranger = false
        /// Says something else than it should, with its true signature.
        var lie: (@Sendable (SecondFactorAnswer) -> SecondFactorAnswer)?
        var receiptLie: (@Sendable (Receipt) -> Receipt)?
        var receiptIsStrangers = false
        /// Verifies nothing that a phone signed: what a thief of its key would do.
        var believesAnything = false
        /// Biometrics that may follow without a PIN; 0 for no limit.
        var mostWithoutPIN: UInt16 = 0
        /// Runs before a call is looked at.
        var pause: (@Sendable (MessageType) async -> Void)?
    }

    struct Counter: Sendable {
        let server: ServerID
        var deviceKeys: Set<[UInt8]>
        var key: OPRFKey
        var secondFactorKey: [UInt8]
        var epoch: UInt32 = 1
        var biometricKey: [UInt8]?
        var withoutPIN: UInt16 = 0
        var lastPIN = Instant(0)
        var highest: UInt64 = 0
        var proved: UInt64 = 0
        var penaltyUntil = Instant(0)
        var resets = 0

        var failed: UInt64 { highest - proved }
    }

    struct Row: Sendable {
        let attempt: Attempt
        let payload: [UInt8]
        let sequence: UInt64
        let evaluation: SecondFactorEvaluation
        /// The key of a first PIN that is not there yet.
        let pending: OPRFKey?
        var proof: [UInt8]?
        var receipt: Encoded<Receipt>?
    }

    struct Memory: Sendable {
        var now: Instant
        var counters: [InstanceID: Counter] = [:]
        var rows: [AttemptID: Row] = [:]
        var closed: Set<InstanceID> = []
    }

    struct State: Sendable {
        var memory: Memory
        var mishaps = Mishaps()
        var heard: [MessageType] = []
        var tickets: [Ticket] = []
        var receiptsShown: [UInt64?] = []
        var pinReceiptsShown: [UInt64?] = []
        var evaluations = 0
    }

    let keys: WorldKeys
    let stranger: WorldKeys
    let state: Mutex<State>

    init(at now: Instant) throws {
        keys = try WorldKeys(70, at: now)
        stranger = try WorldKeys(100, at: now)
        state = Mutex(State(memory: Memory(now: now)))
    }

    func move(to now: Instant) { state.withLock { $0.memory.now = now } }

    func set(_ change: (inout Mishaps) -> Void) { state.withLock { change(&$0.mishaps) } }

    /// A backup, and what was restored from it.
    var memory: Memory {
        get { state.withLock { $0.memory } }
        set { state.withLock { $0.memory = newValue } }
    }

    func counter(of instance: InstanceID) -> Counter? { state.withLock { $0.memory.counters[instance] } }
    var heard: [MessageType] { state.withLock { $0.heard } }
    var tickets: [Ticket] { state.withLock { $0.tickets } }
    /// The numbers of the receipts that came along with tickets and proofs.
    var receiptsShown: [UInt64?] { state.withLock { $0.receiptsShown } }
    /// The numbers of the receipts by PIN that came along beside them.
    var pinReceiptsShown: [UInt64?] { state.withLock { $0.pinReceiptsShown } }
    var evaluations: Int { state.withLock { $0.evaluations } }

    func identity() async throws -> VerifiedSecondFactor {
        let (isDown, now) = state.withLock { ($0.mishaps.isDown, $0.memory.now) }
        guard !isDown else { throw SecondFactorUnreachable() }
        let identity = SecondFactorIdentity(chain: keys.chain.value, prekeys: [keys.published])
        return try VerifiedSecondFactor.verify(Encoded(identity), rootHash: keys.root.hash, at: now)
    }

    func refreshedIdentity() async throws -> VerifiedSecondFactor { try await identity() }

    func call(_ call: SecondFactorCall) async throws -> [UInt8] {
        let type = try MessageType(of: call.message)
        if let pause = state.withLock({ $0.mishaps.pause }) { await pause(type) }
        let mishaps = state.withLock { $0.mishaps }
        guard !mishaps.isDown else { throw SecondFactorUnreachable() }
        let answer = try state.withLock { state in
            state.heard.append(type)
            if type == .ticket || type == .proof { state.pinReceiptsShown.append(call.pinReceipt?.value.sequence) }
            return try handle(type, call, &state)
        }
        guard !mishaps.losesAnswers else { throw SecondFactorUnreachable() }
        return Encoded(mishaps.lie?(answer) ?? answer, signedBy: mishaps.signsAsStranger ? stranger.operatorKey : keys.operatorKey).bytes
    }
}
