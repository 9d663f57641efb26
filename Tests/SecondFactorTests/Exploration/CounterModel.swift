import OstiaryProtocol

@testable import SecondFactor

/// The second-factor server alone, with a caller that may order any number: two attackers and the owner on one instance, biometrics of either,
/// crashes, lost answers, lost proofs, repetitions. The events and promises of `Models/sfs_counter.pml`.
struct CounterModel: ExploredModel {
    /// A way to build the server wrongly. The search must find what each of them breaks.
    enum Mutant: CaseIterable {
        /// Evaluates before the count is durable.
        case evaluateFirst
        /// A proof clears all failed tries instead of those up to it.
        case naiveReset
        /// Reads, decides and writes in two steps.
        case noLock
        /// Answers before the commit is on disk.
        case lateSync
        /// A biometric counts as a PIN, so that it buys tries for ever.
        case biometricMovesPIN
        /// A biometric uses a number, so that biometrics alone come to the end of the tries without a PIN.
        case biometricCounts
    }

    enum Phase: UInt8 { case idle, decided, reserved, proving }

    struct Actor: Hashable {
        var phase = Phase.idle
        var triesLeft: UInt8
        /// The attempt at work; 0 before the first.
        var attempt: UInt8 = 0
        var sequence: UInt8 = 0
        /// What a server without a lock has read.
        var read = Counters()
    }

    typealias Counters = ModelRules.Counters

    struct State: Hashable {
        var rows = Counters()
        /// What a crash leaves: the same, unless the sync is late.
        var durable = Counters()
        /// By attempt: the number it was counted under, 0 for none.
        var known = ByAttempt()
        /// By attempt: the number of its wrong evaluation, 0 for none.
        var guessed = ByAttempt()
        /// The newest proved number, and the newest that a PIN has proved.
        var success: UInt8 = 0
        var successByPIN: UInt8 = 0
        var touchesLeft: UInt8
        var actors: [Actor]
        var broken: Broken?
    }

    enum Broken: String {
        case repetitionRenumbered = "a repetition was given another number"
        case numberUsedTwice = "counted under a number that was not above the highest"
        case biometricCounted = "a biometric used a number"
    }

    let rules: ModelRules
    let mutant: Mutant?
    let limit: Int
    /// Tries of each actor; the last one is the owner, who knows the PIN.
    let tries: [UInt8]
    /// How far above the highest number a caller may order.
    let reach: UInt8
    /// Biometrics that succeed, by whoever's finger.
    let touches: UInt8
    /// Tries since the last PIN.
    let lifetime: Int

    init(
        mutant: Mutant? = nil, limit: Int = 2, tries: [UInt8] = [3, 2, 2], reach: UInt8 = 2, touches: UInt8 = 0, lifetime: Int = 100
    ) throws {
        rules = try ModelRules(maxAttempts: limit, lifetime: UInt64(lifetime))
        self.touches = touches
        self.lifetime = lifetime
        self.mutant = mutant
        self.limit = limit
        self.tries = tries
        self.reach = reach
    }

    var start: State {
        State(touchesLeft: touches, actors: tries.map { Actor(triesLeft: $0) })
    }

    func violation(in state: State) -> String? {
        let wrong = state.guessed.count(above: state.success)
        if wrong > limit { return "\(wrong) wrong evaluations since the last success" }
        let withoutPIN = state.guessed.count(above: state.successByPIN)
        return withoutPIN > lifetime ? "\(withoutPIN) wrong evaluations since the last PIN" : state.broken?.rawValue
    }

    func successors(of state: State) -> [State] {
        let next = state.actors.indices.flatMap { steps(of: $0, in: state) } + touched(state)
        return mutant == .lateSync ? next + [synced(state), crashed(state)] : next
    }

    private func steps(of actor: Int, in state: State) -> [State] {
        switch state.actors[actor].phase {
        case .idle: begin(actor, state) + again(actor, state)
        case .decided: [written(actor, state)]
        case .reserved: [evaluated(actor, state), moved(actor, to: .idle, state)]
        case .proving: [proved(actor, state), moved(actor, to: .idle, state)]
        }
    }

    /// A new attempt under any number near the highest: the caller's operator key may be the attacker's.
    private func begin(_ actor: Int, _ state: State) -> [State] {
        guard state.actors[actor].triesLeft > 0, state.rows.highest + reach < ModelRules.maximum else { return [] }
        var begun = state
        begun.actors[actor].attempt = tries.prefix(actor).reduce(1, +) + tries[actor] - state.actors[actor].triesLeft
        begun.actors[actor].triesLeft -= 1
        return (state.rows.highest...state.rows.highest + reach).flatMap { asked(actor, sequence: $0, begun) }
    }

    /// The last attempt once more, under a new number.
    private func again(_ actor: Int, _ state: State) -> [State] {
        state.actors[actor].attempt == 0 ? [] : asked(actor, sequence: state.rows.highest + 1, state)
    }

    /// The ticket reaches the server.
    private func asked(_ actor: Int, sequence: UInt8, _ state: State) -> [State] {
        let attempt = state.actors[actor].attempt
        let known = state.known[attempt]
        let verdict = rules.ticket(
            id: attempt, sequence: sequence, state.rows, known: known)
        var next = state
        switch verdict {
        case .behind: return [state]
        case .blocked(let noted):
            next.rows = noted
            return [next]
        case .known(let first):
            if first != known { next.broken = .repetitionRenumbered }
            next.actors[actor].sequence = first
            return [moved(actor, to: .reserved, next)]
        case .counted(let counted):
            next.actors[actor].sequence = sequence
            next.actors[actor].read = counted
            switch mutant {
            case .noLock: return [moved(actor, to: .decided, next)]
            case .evaluateFirst: return [evaluated(actor, next), written(actor, evaluated(actor, next))]
            case .naiveReset, .lateSync, .biometricMovesPIN, .biometricCounts, nil: return [written(actor, next)]
            }
        }
    }

    /// The decision becomes rows; from now on the attempt is known.
    private func written(_ actor: Int, _ state: State) -> State {
        var next = state
        let decided = state.actors[actor].read
        if mutant != .noLock, decided.highest <= state.rows.highest { next.broken = .numberUsedTwice }
        next.rows = decided
        next.rows.highest = max(decided.highest, state.rows.highest)
        next.known[state.actors[actor].attempt] = state.actors[actor].sequence
        next.actors[actor].read = Counters()
        if mutant != .lateSync { next.durable = next.rows }
        return next.actors[actor].phase == .proving || mutant == .evaluateFirst ? next : moved(actor, to: .reserved, next)
    }

    /// The answer is made: the owner can prove, an attacker has seen one more wrong PIN, the same one when the attempt is repeated.
    private func evaluated(_ actor: Int, _ state: State) -> State {
        guard actor != tries.count - 1 else { return moved(actor, to: .proving, state) }
        var next = state
        next.guessed[state.actors[actor].attempt] = state.actors[actor].sequence
        return moved(actor, to: .idle, next)
    }

    private func proved(_ actor: Int, _ state: State) -> State {
        var next = moved(actor, to: .idle, state)
        let sequence = state.actors[actor].sequence
        guard
            let after = rules.proof(id: state.actors[actor].attempt, sequence: sequence, state.rows)
        else { return next }
        next.rows = after
        if mutant == .naiveReset { next.rows.proven = after.highest }
        if mutant != .lateSync { next.durable = next.rows }
        next.success = max(state.success, sequence)
        next.successByPIN = max(state.successByPIN, sequence)
        return next
    }

    /// A biometric under any number near the highest, an old one too.
    private func touched(_ state: State) -> [State] {
        guard state.touchesLeft > 0, state.rows.highest + reach < ModelRules.maximum else { return [] }
        let lowest = state.rows.highest > 0 ? state.rows.highest - 1 : 0
        return (lowest...state.rows.highest + reach).compactMap { number in
            guard let after = rules.touch(sequence: number, state.rows) else { return nil }
            var next = state
            next.touchesLeft -= 1
            next.rows = after
            if mutant == .biometricCounts {
                next.rows.highest += 1
                next.rows.proven += 1
            }
            if mutant == .biometricMovesPIN { next.rows.provenByPIN = after.proven }
            if next.rows.highest > max(state.rows.highest, number) { next.broken = .biometricCounted }
            if mutant != .lateSync { next.durable = next.rows }
            next.success = after.proven
            return next
        }
    }

    private func moved(_ actor: Int, to phase: Phase, _ state: State) -> State {
        var next = state
        next.actors[actor].phase = phase
        return next
    }

    private func synced(_ state: State) -> State {
        var next = state
        next.durable = state.rows
        return next
    }

    private func crashed(_ state: State) -> State {
        var next = state
        next.rows = state.durable
        next.known.drop(above: state.durable.highest)
        return next
    }
}
