import OstiaryProtocol

@testable import SecondFactor

/// The rules that the server runs, asked about small numbers. Each question is put to them once and its answer remembered, so that a search can
/// ask a million times.
final class ModelRules {
    /// Ids of attempts are 1...maximum, sequence numbers 0...maximum.
    static let maximum: UInt8 = 12

    let policy: Policy
    private var verdicts: [Int: Verdict] = [:]
    private var proofs: [Int: Counters?] = [:]
    private var touches: [Int: Counters?] = [:]

    init(maxAttempts: Int, lifetime: UInt64 = 100) throws {
        policy = try Policy(maxAttempts: maxAttempts, penalties: [], lifetimeWithoutPIN: lifetime)
    }

    /// `hi`, `ok` and `pinOk`.
    struct Counters: Hashable {
        var highest: UInt8 = 0
        var proven: UInt8 = 0
        var provenByPIN: UInt8 = 0

        init() {}

        init(_ counter: Counter) {
            highest = UInt8(counter.highest)
            proven = UInt8(counter.proven)
            provenByPIN = UInt8(counter.provenByPIN)
        }
    }

    /// The newest receipt of a caller; 0 for none.
    struct ReceiptNumber: Hashable {
        var sequence: UInt8 = 0
        var byPIN = true
    }

    enum Verdict: Equatable {
        /// Counted now: the counters to make durable.
        case counted(Counters)
        /// Counted before, under this number.
        case known(sequence: UInt8)
        case behind(highest: UInt8)
        /// Not counted; the counters, which may have learnt from the number.
        case blocked(Counters)
    }

    /// What the ticket rules say. `known` is the number under which the rows hold this attempt, 0 for none.
    func ticket(id: UInt8, sequence: UInt8, _ counters: Counters, known: UInt8, receipt: ReceiptNumber = ReceiptNumber()) -> Verdict {
        let question = Self.key(counters, id, sequence, known, receipt.sequence, receipt.byPIN ? 1 : 0)
        if let verdict = verdicts[question] { return verdict }
        let verdict = asked(ticket(id: id, sequence: sequence, receipt: receipt), id, counters, known)
        verdicts[question] = verdict
        return verdict
    }

    private func asked(_ ticket: ProvenTicket, _ id: UInt8, _ counters: Counters, _ known: UInt8) -> Verdict {
        let situation = Situation(instance: instance(counters), attempt: known == 0 ? nil : record(id: id, sequence: known))
        let decision = TicketRules.decide(ticket, in: situation, at: RulesFixture.now, under: policy)
        switch decision.outcome {
        case .admitted(let attempt, _, _):
            guard known == 0, let counted = Self.counters(in: decision.changes) else { return .known(sequence: UInt8(attempt.sequence)) }
            return .counted(counted)
        case .refused(.behind, let standing): return .behind(highest: UInt8(standing.highest))
        case .refused: return .blocked(Self.counters(in: decision.changes) ?? counters)
        }
    }

    /// The counters after the proof of an attempt; nil when the rules refuse it.
    func proof(id: UInt8, sequence: UInt8, _ counters: Counters) -> Counters? {
        let question = Self.key(counters, id, sequence)
        if let known = proofs[question] { return known }
        let after = proved(id, sequence, counters)
        proofs[question] = after
        return after
    }

    /// The counters after a biometric under the caller's number; nil when the rules refuse it.
    func touch(sequence: UInt8, _ counters: Counters, receipt: ReceiptNumber = ReceiptNumber()) -> Counters? {
        let question = Self.key(counters, sequence, receipt.sequence, receipt.byPIN ? 1 : 0)
        if let known = touches[question] { return known }
        var person = instance(counters)
        person?.setBiometricKey(RulesFixture.biometricKey)
        let decision = BiometricRules.decide(
            RulesFixture.biometric(15, sequence: UInt64(sequence), receipt: facts(receipt)), in: Situation(instance: person), at: RulesFixture.now,
            under: policy
        ) { _ in [] }
        let after = Self.counters(in: decision.changes)
        touches[question] = after
        return after
    }

    private func proved(_ id: UInt8, _ sequence: UInt8, _ counters: Counters) -> Counters? {
        let situation = Situation(instance: instance(counters), attempt: record(id: id, sequence: sequence))
        let decision = ProofRules.decide(
            RulesFixture.proof(id, sequence: UInt64(sequence)), in: situation, at: RulesFixture.now, under: policy
        ) { _ in [] }
        return Self.counters(in: decision.changes)
    }

    private static func counters(in changes: [Change]) -> Counters? {
        for case .saveInstance(let instance) in changes { return Counters(instance.counter) }
        return nil
    }

    private static func key(_ counters: Counters, _ numbers: UInt8...) -> Int {
        ([counters.highest, counters.proven, counters.provenByPIN] + numbers).reduce(0) { $0 << 4 | Int($1) }
    }

    private func ticket(id: UInt8, sequence: UInt8, receipt: ReceiptNumber) -> ProvenTicket {
        RulesFixture.ticket(id, sequence: UInt64(sequence), receipt: facts(receipt))
    }

    private func facts(_ receipt: ReceiptNumber) -> ReceiptFacts? {
        receipt.sequence == 0 ? nil : ReceiptFacts(sequence: UInt64(receipt.sequence), byPIN: receipt.byPIN)
    }

    private func instance(_ counters: Counters) -> Instance? {
        (try? RulesFixture.counter(UInt64(counters.highest), UInt64(counters.proven), pin: UInt64(counters.provenByPIN))).map {
            RulesFixture.instance($0)
        }
    }

    private func record(id: UInt8, sequence: UInt8) -> AttemptRecord {
        let attempt = ticket(id: id, sequence: 1, receipt: ReceiptNumber()).attempt
        return AttemptRecord(
            id: attempt.attemptID, instanceID: attempt.instanceID, owner: RulesFixture.owner, sessionHash: attempt.sessionHash, purpose: .verify,
            epoch: 1, blindedHash: attempt.blindedHash, sequence: UInt64(sequence), madeAt: RulesFixture.now, reservedAt: RulesFixture.now,
            expiresAt: RulesFixture.now + 720, tries: .none, state: .reserved)
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
