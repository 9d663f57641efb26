import OstiaryProtocol

@testable import SecondFactor

/// The rules that the server runs, asked about small numbers. Rows and messages are made once, so that a search can ask a million times.
final class ModelRules {
    /// Ids of attempts are 1...maximum, sequence numbers 0...maximum.
    static let maximum: UInt8 = 12

    let policy: Policy
    private var tickets: [Int: ProvenTicket] = [:]
    private var instances: [Int: Instance] = [:]
    private let receipt = [UInt8]()

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
        let ticket = ticket(id: id, sequence: sequence, receipt: receipt)
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
    func proof(id: UInt8, sequence: UInt8, highest: UInt8, proven: UInt8) -> (highest: UInt8, proven: UInt8)? {
        let situation = Situation(instance: instance(highest, proven), attempt: record(id: id, sequence: sequence))
        let decision = ProofRules.decide(
            Scene.proof(id, sequence: UInt64(sequence)), receipt: receipt, in: situation, at: Scene.now, under: policy)
        guard case .proved(_, let standing) = decision.outcome else { return nil }
        return (UInt8(standing.highest), UInt8(standing.highest) - standing.tries.failed)
    }

    private func ticket(id: UInt8, sequence: UInt8, receipt: UInt8) -> ProvenTicket {
        let key = Int(id) << 16 | Int(sequence) << 8 | Int(receipt)
        if let made = tickets[key] { return made }
        let facts = receipt == 0 ? nil : ReceiptFacts(sequence: UInt64(receipt), byPIN: true)
        let made = Scene.ticket(id, sequence: UInt64(sequence), receipt: facts)
        tickets[key] = made
        return made
    }

    private func instance(_ highest: UInt8, _ proven: UInt8) -> Instance? {
        let key = Int(highest) << 8 | Int(proven)
        if let made = instances[key] { return made }
        guard let counter = try? Scene.counter(UInt64(highest), UInt64(proven)) else { return nil }
        let made = Scene.instance(counter)
        instances[key] = made
        return made
    }

    private func record(id: UInt8, sequence: UInt8) -> AttemptRecord {
        let attempt = ticket(id: id, sequence: 1, receipt: 0).attempt
        return AttemptRecord(
            id: attempt.attemptID, instanceID: attempt.instanceID, owner: Scene.owner, sessionHash: attempt.sessionHash, purpose: .verify,
            epoch: 1, blindedHash: attempt.blindedHash, sequence: UInt64(sequence), reservedAt: Scene.now, expiresAt: Scene.now + 720,
            tries: .none, newEvaluationKey: nil, evaluation: nil, state: .reserved)
    }
}
