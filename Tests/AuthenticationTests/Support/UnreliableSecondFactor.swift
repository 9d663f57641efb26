import Authentication
import OstiaryProtocol
import OstiaryTesting
import Synchronization

/// The second-factor server as an authentication server meets it: what it says is true and arrives, until a test has it otherwise.
final class UnreliableSecondFactor: SecondFactorGateway {
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
        /// Vouches for every proof, whatever a phone has signed: what a thief of its key would do.
        var believesAnything = false
        /// Runs before a call is looked at.
        var pause: (@Sendable (MessageType) async -> Void)?
    }

    private struct State {
        var mishaps = Mishaps()
        var heard: [MessageType] = []
        var tickets: [Ticket] = []
        var receiptsShown: [UInt64?] = []
        var pinReceiptsShown: [UInt64?] = []
    }

    let keys: FixtureKeys
    /// The server itself.
    let truth: SecondFactorInMemory
    private let stranger: FixtureKeys
    private let clock: TestClock
    private let state = Mutex(State())

    init(by clock: TestClock, trusting roots: [[UInt8]], mostWithoutPIN: Int) throws {
        keys = try FixtureKeys(70, at: clock.now)
        stranger = try FixtureKeys(100, at: clock.now)
        truth = try SecondFactorInMemory(keys, trusting: roots, mostWithoutPIN: mostWithoutPIN)
        self.clock = clock
    }

    func set(_ change: (inout Mishaps) -> Void) { state.withLock { change(&$0.mishaps) } }

    var heard: [MessageType] { state.withLock { $0.heard } }
    /// Those that came by themselves, and those within proofs.
    var tickets: [Ticket] { state.withLock { $0.tickets } }
    /// The numbers of the receipts that came along with tickets.
    var receiptsShown: [UInt64?] { state.withLock { $0.receiptsShown } }
    /// The numbers of the receipts by PIN that came along beside another, with tickets and proofs.
    var pinReceiptsShown: [UInt64?] { state.withLock { $0.pinReceiptsShown } }

    func identity() async throws -> VerifiedSecondFactor {
        let isDown = state.withLock { $0.mishaps.isDown }
        guard !isDown else { throw SecondFactorUnreachable() }
        let identity = SecondFactorIdentity(chain: keys.chain.value, prekeys: [keys.published])
        return try VerifiedSecondFactor.verify(Encoded(identity), rootHash: keys.root.hash, at: clock.now)
    }

    func refreshedIdentity() async throws -> VerifiedSecondFactor { try await identity() }

    func call(_ call: SecondFactorCall) async throws -> [UInt8] {
        let type = try MessageType(of: call.message)
        if let pause = state.withLock({ $0.mishaps.pause }) { await pause(type) }
        let (mishaps, now) = (state.withLock { $0.mishaps }, clock.now)
        guard !mishaps.isDown else { throw SecondFactorUnreachable() }
        try state.withLock { state in try Self.note(type, call, in: &state) }
        guard let answer = try await truth.answer(call, at: now), !mishaps.losesAnswers else { throw SecondFactorUnreachable() }
        let said = try said(instead: answer, of: type, to: call, mishaps, at: now)
        return Encoded(said, signedBy: mishaps.signsAsStranger ? stranger.operatorKey : keys.operatorKey).bytes
    }

    private static func note(_ type: MessageType, _ call: SecondFactorCall, in state: inout State) throws {
        state.heard.append(type)
        switch type {
        case .ticket:
            state.tickets.append(try Ticket(decoding: call.message))
            state.receiptsShown.append(call.receipt?.value.sequence)
            state.pinReceiptsShown.append(call.pinReceipt?.value.sequence)
        case .proof:
            if let ticket = try Proof(decoding: call.message).ticket { state.tickets.append(ticket.value) }
            state.pinReceiptsShown.append(call.pinReceipt?.value.sequence)
        default: break
        }
    }

    private func said(
        instead truth: SecondFactorAnswer, of type: MessageType, to call: SecondFactorCall, _ mishaps: Mishaps, at now: Instant
    ) throws -> SecondFactorAnswer {
        var answer = truth
        if mishaps.believesAnything, type == .proof { answer = vouched(for: try Proof(decoding: call.message), at: now) }
        if let receipt = answer.receipt?.value {
            let told = mishaps.receiptLie?(receipt) ?? receipt
            let key = mishaps.receiptIsStrangers ? stranger.operatorKey : keys.operatorKey
            answer = answer.changed(receipt: Encoded(told, signedBy: key))
        }
        return mishaps.lie?(answer) ?? answer
    }

    /// A receipt for whatever is asked, as it should look.
    private func vouched(for proof: Proof, at now: Instant) -> SecondFactorAnswer {
        let number = tickets.last { $0.attempt.value.attemptID == proof.attemptID }?.sequence ?? 1
        let receipt = Receipt(
            serverID: proof.serverID, instanceID: proof.instanceID, attemptID: proof.attemptID, sessionHash: proof.sessionHash,
            context: proof.context, method: proof.method, epoch: proof.epoch, sequence: number,
            secondFactorKey: proof.secondFactorKey ?? truth.secondFactorKey(of: proof.instanceID) ?? [UInt8](repeating: 0, count: 32),
            signaturesHash: SHA((proof.secondFactorSignature ?? []) + (proof.biometricSignature ?? [])), withoutPIN: 0, lastPIN: now, issuedAt: now)
        return SecondFactorAnswer(
            attemptID: proof.attemptID, status: .ok, highest: number, epoch: proof.epoch, tries: .none,
            receipt: Encoded(receipt, signedBy: keys.operatorKey))
    }
}
