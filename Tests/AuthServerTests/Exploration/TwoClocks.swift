import OstiaryProtocol

import struct Authentication.AttemptSequence
import struct Authentication.PhoneRequest
import enum Authentication.Refusal

@testable import SecondFactor

/// Both servers by their real rules, each with a clock of its own that leaps and drifts, and an honest phone whose time is that of the authentication
/// server. Nothing in here is signed, and no database keeps it: `ClockTests` has the real rows.
struct TwoClocks {
    /// What becomes of one login.
    enum Outcome: Equatable {
        case loggedIn
        /// A wrong PIN, evaluated.
        case wrong
        /// A right PIN that was evaluated and whose proof was refused.
        case lost(ProofRefusal)
        /// Not evaluated: the number stays as it was.
        case told(Status, wait: UInt64)
        /// Evaluated, and the answer never came back.
        case unanswered
    }

    private static let owner = VirtualServer(id: ServerID(using: Same(0x51)), rootHash: Same(0x52).bytes(32))
    private static let id = InstanceID(using: Same(0x10))
    private static let deviceKey = Same(0x20).bytes(65)
    private static let secondFactorKey = Same(0x30).bytes(32)

    private(set) var truth = Instant(1_800_000_000)
    /// Seconds by which each clock is ahead.
    private(set) var authenticationSkew: Int64 = 0
    private(set) var secondFactorSkew: Int64 = 0
    private var sequence = AttemptSequence()
    private var receipt: ReceiptFacts?
    private var instance: Instance
    private var resets: [ResetRecord] = []
    private var attempts: UInt64 = 0
    private let policy = Policy.standard

    /// What really happened since the last login: wrong PINs that were evaluated, and right ones that were lost.
    private(set) var wrong = 0
    private(set) var lost = 0
    private(set) var lastReset: Instant?
    private var span = SteadySpan()
    private var broughtBack: UInt64 = 0
    private var ordered: Ordered?
    /// Seconds by which a wait was shorter than ordered although no clock was ever ahead of the one that ordered it.
    private(set) var shortened: UInt64?

    /// A penalty that runs.
    private struct Ordered {
        let at: Instant
        let seconds: UInt64
        let skew: Int64
    }

    init() {
        let keys = Instance.EpochKeys(secondFactorKey: Self.secondFactorKey, evaluationKey: WrappedKey(Same(0x40).bytes(65)))
        instance = Instance(
            id: Self.id, owner: Self.owner, deviceKeys: [Self.deviceKey], epoch: 1, state: .open(keys), counter: Counter(at: truth), withoutPIN: 0,
            lastPIN: truth)
    }

    /// How many tries were counted.
    var counted: UInt64 { instance.counter.highest }

    private var authenticationNow: Instant { Self.moved(truth, by: authenticationSkew) }
    private var secondFactorNow: Instant { Self.moved(truth, by: secondFactorSkew) }
    private static func moved(_ moment: Instant, by skew: Int64) -> Instant { skew < 0 ? moment - skew.magnitude : moment + skew.magnitude }

    /// Minute by minute at first, as the second-factor server works in the background.
    mutating func pass(_ seconds: UInt64) {
        var left = seconds
        while left > 0 {
            let step = seconds - left < 600 ? min(left, 60) : left
            truth = truth + step
            left -= step
            look()
        }
    }

    mutating func leap(authentication: Int64 = 0, secondFactor: Int64 = 0) {
        authenticationSkew += authentication
        secondFactorSkew += secondFactor
        look()
    }

    mutating func putRight(authentication: Bool = true, secondFactor: Bool = true) {
        if authentication { authenticationSkew = 0 }
        if secondFactor { secondFactorSkew = 0 }
        look()
    }

    /// The second-factor server looks at its clocks every few seconds, and brings back what lies ahead once it has stayed there for two minutes. Where its
    /// clock leapt ahead of the one that ordered a penalty nobody can tell that from time that was waited.
    @discardableResult
    private mutating func look() -> UInt64 {
        if let ordered, secondFactorSkew > ordered.skew { self.ordered = nil }
        let seconds = span.note(secondFactorNow, steady: truth.seconds)
        guard seconds >= LeapWatch.patience, broughtBack < span.number else { return seconds }
        broughtBack = span.number
        guard instance.counter.lastSeen > secondFactorNow + Times.clockSlack else { return seconds }
        instance = instance.settled(at: secondFactorNow, steadyFor: seconds)
        if ordered != nil {
            let left = instance.counter.penaltyUntil.seconds(since: secondFactorNow)
            ordered = Ordered(at: truth, seconds: left, skew: secondFactorSkew)
        }
        return seconds
    }

    private func situation(_ attempt: AttemptRecord? = nil, steadyFor seconds: UInt64) -> Situation {
        var situation = Situation(instance: instance, attempt: attempt)
        situation.steadyFor = seconds
        return situation
    }

    /// A try was counted: the one before it was waited out, and this one orders the next wait.
    private mutating func noteWait() {
        if let ordered, truth.seconds(since: ordered.at) < ordered.seconds { shortened = ordered.seconds - truth.seconds(since: ordered.at) }
        let counter = instance.counter
        ordered = Ordered(at: truth, seconds: counter.penaltyUntil.seconds(since: counter.lastSeen), skew: secondFactorSkew)
    }

    /// One login. `between` happens after the evaluation and before the proof.
    mutating func logIn(isRight: Bool, isAnswered: Bool = true, between: (inout TwoClocks) -> Void = { _ in }) -> Outcome {
        attempts += 1
        let id = AttemptID(using: Counting(attempts))
        let madeAt = authenticationNow
        for _ in 0..<2 {
            guard let number = try? sequence.reserve(id, blindedHash: [], at: authenticationNow) else { return .told(.busy, wait: 0) }
            let ticket = Self.ticket(id, number, madeAt: madeAt, receipt: receipt)
            let seconds = look()
            let ruling = TicketRules.decide(ticket, in: situation(steadyFor: seconds), at: secondFactorNow, under: policy)
            for case .saveInstance(let changed) in ruling.changes { instance = changed }
            switch ruling.outcome {
            case .refused(let refusal, let standing):
                _ = try? sequence.settle(id, highest: standing.highest, evaluated: false)
                if refusal == .behind { continue }
                guard case .penalised(let wait) = refusal else { return .told(refusal.status, wait: 0) }
                return .told(.penalised, wait: wait)
            case .admitted(let attempt, _, let standing):
                noteWait()
                guard isAnswered else { return unanswered(isRight) }
                guard (try? sequence.settle(id, highest: standing.highest, evaluated: true)) == true else { return .unanswered }
                guard isRight else {
                    wrong += 1
                    return .wrong
                }
                between(&self)
                return prove(attempt)
            }
        }
        return .told(.sequence, wait: 0)
    }

    private mutating func unanswered(_ isRight: Bool) -> Outcome {
        if isRight { lost += 1 } else { wrong += 1 }
        return .unanswered
    }

    private mutating func prove(_ attempt: AttemptRecord) -> Outcome {
        let proof = Proof(
            serverID: Self.owner.id, instanceID: Self.id, attemptID: attempt.id, context: .verify, method: .pin, epoch: 1,
            sessionHash: attempt.sessionHash, secondFactorKey: nil, secondFactorSignature: Same(0x70).bytes(64))
        let checked = CheckedProof(owner: Self.owner, proof: proof, secondFactorSignature: Same(0x70).bytes(64), biometricSignature: nil)
        let proven = ProvenProof(checked: checked, secondFactorKey: Self.secondFactorKey, biometricKey: nil, sequence: attempt.sequence)
        let seconds = look()
        let ruling = ProofRules.decide(
            proven, in: situation(attempt, steadyFor: seconds), at: secondFactorNow, under: policy, signing: { $0.encoded })
        for case .saveInstance(let changed) in ruling.changes { instance = changed }
        switch ruling.outcome {
        case .proved:
            receipt = ReceiptFacts(sequence: attempt.sequence, byPIN: true)
            (wrong, lost, ordered) = (0, 0, nil)
            return .loggedIn
        case .refused(let refusal, _):
            lost += 1
            return .lost(refusal)
        }
    }

    /// The operator's REST call; whether it was granted.
    mutating func reset() -> Bool {
        let situation = Situation(instance: instance, resets: resets)
        let ruling = ResetRules.decide(.message(by: Self.owner, time: authenticationNow), in: situation, at: secondFactorNow, under: policy)
        guard case .granted = ruling.outcome else { return false }
        for change in ruling.changes {
            if case .saveInstance(let changed) = change { instance = changed }
            if case .log(let record) = change { resets.append(record) }
        }
        (wrong, lost, ordered) = (0, 0, nil)
        lastReset = truth
        return true
    }

    private static func ticket(_ id: AttemptID, _ number: UInt64, madeAt: Instant, receipt: ReceiptFacts?) -> ProvenTicket {
        let hash = Same(0x60).bytes(32)
        let attempt = Attempt(
            instanceID: Self.id, attemptID: id, sessionHash: hash, context: .verify, epoch: 1, blindedHash: hash, sealedHash: hash,
            ephemeralHash: hash, madeAt: madeAt)
        let ticket = Ticket(serverID: owner.id, sequence: number, issuedAt: madeAt, payload: [], attempt: Encoded(attempt))
        return ProvenTicket(
            checked: CheckedTicket(owner: owner, ticket: ticket, purpose: .verify, blinded: GroupElement(stored: hash)), deviceKey: deviceKey,
            receipt: receipt,
            freshKey: nil)
    }
}

/// One byte, repeated.
private struct Same: RandomSource {
    let byte: UInt8

    init(_ byte: UInt8) { self.byte = byte }

    func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }
}

/// A number as sixteen bytes.
private struct Counting: RandomSource {
    let number: UInt64

    init(_ number: UInt64) { self.number = number }

    func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count - 8) + withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}
