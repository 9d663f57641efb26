import OstiaryProtocol

@testable import SecondFactor

/// The rules that the server runs, asked about small numbers. Each question is put to them once and its answer remembered, so that a search can
/// ask a million times.
final class ModelRules {
    /// Ids of attempts are 1...maximum, sequence numbers 0...maximum.
    static let maximum: UInt8 = 12

    let policy: Policy
    private var verdicts: [Int: Verdict] = [:]
    private var proofs: [Int: CounterModel.Counters?] = [:]

    init(maxAttempts: Int) throws {
        policy = try Policy(maxAttempts: maxAttempts, penalties: [])
    }

    enum Verdict: Equatable {
        /// Counted now: the counters to make durable.
        case counted(highest: UInt8, proven: UInt8)
        /// Counted before, under this number.
        case known(sequence: UInt8)
        case behind(highest: UInt8)
        case blocked
    }

    /// What the ticket rules say. `known` is the number under which the rows hold this attempt, 0 for none.
    func ticket(id: UInt8, sequence: UInt8, highest: UInt8, proven: UInt8, known: UInt8, receipt: UInt8 = 0) -> Verdict {
        let question = Self.key(id, sequence, highest, proven, known, receipt)
        if let verdict = verdicts[question] { return verdict }
        let verdict = asked(ticket(id: id, sequence: sequence, receipt: receipt), id, highest, proven, known)
        verdicts[question] = verdict
        return verdict
    }

    private func asked(_ ticket: ProvenTicket, _ id: UInt8, _ highest: UInt8, _ proven: UInt8, _ known: UInt8) -> Verdict {
        let situation = Situation(
            instance: instance(highest, proven), attempt: known == 0 ? nil : record(id: id, sequence: known))
        switch TicketRules.decide(ticket, in: situation, at: Scene.now, under: policy).outcome {
        case .admitted(let attempt, _, let standing):
            let sequence = UInt8(attempt.sequence)
            guard known == 0 else { return .known(sequence: sequence) }
            return .counted(highest: UInt8(standing.highest), proven: UInt8(standing.highest) - standing.tries.failed)
        case .refused(.behind, let standing): return .behind(highest: UInt8(standing.highest))
        case .refused: return .blocked
        }
    }

    /// The counters after the proof of an attempt; nil when the rules refuse it.
    func proof(id: UInt8, sequence: UInt8, highest: UInt8, proven: UInt8) -> CounterModel.Counters? {
        let question = Self.key(id, sequence, highest, proven)
        if let known = proofs[question] { return known }
        let counters = proved(id, sequence, highest, proven)
        proofs[question] = counters
        return counters
    }

    private func proved(_ id: UInt8, _ sequence: UInt8, _ highest: UInt8, _ proven: UInt8) -> CounterModel.Counters? {
        let situation = Situation(instance: instance(highest, proven), attempt: record(id: id, sequence: sequence))
        let decision = ProofRules.decide(
            Scene.proof(id, sequence: UInt64(sequence)), in: situation, at: Scene.now, under: policy
        ) { _ in [] }
        guard case .proved(_, let standing) = decision.outcome else { return nil }
        return CounterModel.Counters(highest: UInt8(standing.highest), proven: UInt8(standing.highest) - standing.tries.failed)
    }

    private static func key(_ numbers: UInt8...) -> Int { numbers.reduce(0) { $0 << 4 | Int($1) } }

    private func ticket(id: UInt8, sequence: UInt8, receipt: UInt8) -> ProvenTicket {
        let facts = receipt == 0 ? nil : ReceiptFacts(sequence: UInt64(receipt), byPIN: true)
        return Scene.ticket(id, sequence: UInt64(sequence), receipt: facts)
    }

    private func instance(_ highest: UInt8, _ proven: UInt8) -> Instance? {
        (try? Scene.counter(UInt64(highest), UInt64(proven))).map { Scene.instance($0) }
    }

    private func record(id: UInt8, sequence: UInt8) -> AttemptRecord {
        let attempt = ticket(id: id, sequence: 1, receipt: 0).attempt
        return AttemptRecord(
            id: attempt.attemptID, instanceID: attempt.instanceID, owner: Scene.owner, sessionHash: attempt.sessionHash, purpose: .verify,
            epoch: 1, blindedHash: attempt.blindedHash, sequence: UInt64(sequence), madeAt: Scene.now, reservedAt: Scene.now,
            expiresAt: Scene.now + 720, tries: .none, state: .reserved)
    }
}

/// A number from 0 to 15 for each of at most sixteen attempts, in one word, so that a state is cheap to copy and to compare.
struct ByAttempt: Hashable {
    private var word: UInt64 = 0

    subscript(attempt: UInt8) -> UInt8 {
        get { UInt8(word >> (UInt64(attempt) * 4) & 15) }
        set { word = word & ~(15 << (UInt64(attempt) * 4)) | UInt64(newValue & 15) << (UInt64(attempt) * 4) }
    }

    /// How many attempts have a number above `limit`.
    func count(above limit: UInt8) -> Int { (0..<UInt8(16)).count { self[$0] > limit } }

    /// Forgets the numbers above `limit`.
    mutating func drop(above limit: UInt8) {
        for attempt in 0..<UInt8(16) where self[attempt] > limit { self[attempt] = 0 }
    }
}
