import OstiaryProtocol

@testable import SecondFactor

/// Both servers: the authentication server numbers attempts, has at most one open, and commits an answer before it relays it; a database
/// is restored from a backup. The events and promises of `Models/sfs_sequence.pml`.
struct SequenceModel: ExploredModel {
    /// A way to build the servers wrongly. The search must find what each of them breaks.
    enum Mutant: CaseIterable {
        /// Late answers of an attempt that was replaced are relayed.
        case noOpenAttempt
        /// The answer goes to the phone before the number is committed.
        case relayBeforeCommit
        /// An answer is relayed although its number was used for another attempt: after a restore the repetition of an attempt would be one
        /// more evaluation under an old number.
        case usedNumbers
    }

    /// Which databases an operator restores from backups.
    enum Restored { case secondFactor, authentication, both }

    enum Phase: UInt8 { case idle, asking, answered, proving }

    struct Actor: Hashable {
        var phase = Phase.idle
        var triesLeft: UInt8
        var attempt: UInt8 = 0
        /// The number in the ticket.
        var sequence: UInt8 = 0
    }

    /// The second-factor server's rows.
    struct Counting: Hashable {
        var counters = ModelRules.Counters()
        /// By attempt: the number it was counted under, 0 for none.
        var known = ByAttempt()
    }

    /// The authentication server's row of the instance (protocol §7, "At the AS, on M1").
    struct Numbering: Hashable {
        var sequence: UInt8 = 0
        /// The attempt whose answer is awaited, 0 for none.
        var open: UInt8 = 0
        /// The newest receipt.
        var receipt = ModelRules.ReceiptNumber()
        /// The attempt whose evaluation was committed last, and its number.
        var settled: UInt8 = 0
        var settledNumber: UInt8 = 0

        /// Takes a receipt if it is newer.
        mutating func keep(_ newer: ModelRules.ReceiptNumber) {
            if newer.sequence > receipt.sequence { receipt = newer }
        }

        /// Takes an answer that counts nothing, if it is that of the open attempt.
        mutating func resume(_ attempt: UInt8, at highest: UInt8) {
            guard open == attempt else { return }
            sequence = max(sequence, highest)
            open = 0
        }

        /// Takes an evaluation, if it is that of the open attempt; whether it may be relayed: under a number that was not used before, or that
        /// was committed for this very attempt.
        mutating func commit(_ attempt: UInt8, under number: UInt8) -> Bool {
            guard open == attempt else { return false }
            let isFresh = number > sequence
            sequence = max(sequence, number)
            open = 0
            guard isFresh else { return settled == attempt && settledNumber == number }
            settled = attempt
            settledNumber = number
            return true
        }
    }

    struct State: Hashable {
        var counting = Counting()
        var numbering = Numbering()
        var savedCounting = Counting()
        var savedNumbering = Numbering()
        var restoresLeft: UInt8
        /// By attempt: the number of the wrong evaluation that reached the attacker, 0 for none.
        var guessed = ByAttempt()
        var success: UInt8 = 0
        var successByPIN: UInt8 = 0
        var touchesLeft: UInt8
        var actors: [Actor]
    }

    let rules: ModelRules
    let mutant: Mutant?
    let restored: Restored
    let limit: Int
    let tries: [UInt8]
    let restores: UInt8
    let touches: UInt8
    let lifetime: Int

    init(
        mutant: Mutant? = nil, restored: Restored = .secondFactor, limit: Int = 2, tries: [UInt8] = [3, 2, 1], restores: UInt8 = 1,
        touches: UInt8 = 0, lifetime: Int = 100
    ) throws {
        rules = try ModelRules(maxAttempts: limit, lifetime: UInt64(lifetime))
        self.touches = touches
        self.lifetime = lifetime
        self.mutant = mutant
        self.restored = restored
        self.limit = limit
        self.tries = tries
        self.restores = restores
    }

    var start: State {
        State(restoresLeft: restores, touchesLeft: touches, actors: tries.map { Actor(triesLeft: $0) })
    }

    func violation(in state: State) -> String? {
        let wrong = state.guessed.count(above: state.success)
        if wrong > limit { return "\(wrong) wrong evaluations since the last success" }
        let withoutPIN = state.guessed.count(above: state.successByPIN)
        return withoutPIN > lifetime ? "\(withoutPIN) wrong evaluations since the last PIN" : nil
    }

    func successors(of state: State) -> [State] {
        state.actors.indices.flatMap { steps(of: $0, in: state) } + touched(state) + restorations(of: state)
    }

    private func steps(of actor: Int, in state: State) -> [State] {
        switch state.actors[actor].phase {
        case .idle: begin(actor, state) + again(actor, state)
        case .asking: [asked(actor, state), moved(actor, to: .idle, state)]
        case .answered: answered(actor, state) + [moved(actor, to: .idle, state)]
        case .proving: proved(actor, state) + [moved(actor, to: .idle, state)]
        }
    }

    /// A new attempt takes the place of an open one, which was silent for long enough.
    private func begin(_ actor: Int, _ state: State) -> [State] {
        guard state.actors[actor].triesLeft > 0 else { return [] }
        var next = state
        next.actors[actor].attempt = tries.prefix(actor).reduce(1, +) + tries[actor] - state.actors[actor].triesLeft
        next.actors[actor].triesLeft -= 1
        return ticketed(actor, next)
    }

    /// The phone repeats its last attempt, the answer to which it has not seen.
    private func again(_ actor: Int, _ state: State) -> [State] {
        let attempt = state.actors[actor].attempt
        guard attempt > 0, state.guessed[attempt] == 0 else { return [] }
        return ticketed(actor, state)
    }

    private func ticketed(_ actor: Int, _ state: State) -> [State] {
        guard state.numbering.sequence + 1 < ModelRules.maximum else { return [] }
        var next = state
        next.numbering.open = state.actors[actor].attempt
        next.actors[actor].sequence = state.numbering.sequence + 1
        return [moved(actor, to: .asking, next)]
    }

    /// The ticket reaches the second-factor server, with the newest receipt.
    private func asked(_ actor: Int, _ state: State) -> State {
        let attempt = state.actors[actor].attempt
        let sequence = state.actors[actor].sequence
        let verdict = rules.ticket(
            id: attempt, sequence: sequence, state.counting.counters, known: state.counting.known[attempt], receipt: state.numbering.receipt)
        var next = state
        switch verdict {
        case .counted(let counted):
            next.counting.counters = counted
            next.counting.known[attempt] = sequence
            return moved(actor, to: .answered, next)
        case .known(let first):
            next.actors[actor].sequence = first
            return moved(actor, to: .answered, next)
        case .behind(let highest):
            next.numbering.resume(attempt, at: highest)
            return moved(actor, to: .idle, next)
        case .blocked(let noted):
            next.counting.counters = noted
            next.numbering.resume(attempt, at: 0)
            return moved(actor, to: .idle, next)
        }
    }

    /// The answer reaches the authentication server, which commits, then relays it.
    private func answered(_ actor: Int, _ state: State) -> [State] {
        let attempt = state.actors[actor].attempt
        let sequence = state.actors[actor].sequence
        let wasOpen = state.numbering.open == attempt
        var committed = state
        let mayRelay = committed.numbering.commit(attempt, under: sequence)
        switch mutant {
        case .relayBeforeCommit: return [relayed(actor, committed), relayed(actor, state)]
        case .noOpenAttempt:
            committed.numbering.sequence = max(committed.numbering.sequence, sequence)
            return [relayed(actor, committed)]
        case .usedNumbers: return wasOpen ? [relayed(actor, committed)] : []
        case nil:
            let dropped = moved(actor, to: .idle, committed)
            return mayRelay ? [relayed(actor, committed), dropped] : [dropped]
        }
    }

    private func relayed(_ actor: Int, _ state: State) -> State {
        guard actor != tries.count - 1 else { return moved(actor, to: .proving, state) }
        var next = state
        next.guessed[state.actors[actor].attempt] = state.actors[actor].sequence
        return moved(actor, to: .idle, next)
    }

    /// The proof reaches the second-factor server; its receipt reaches the authentication server, or is lost and asked for again.
    private func proved(_ actor: Int, _ state: State) -> [State] {
        let attempt = state.actors[actor].attempt
        let sequence = state.counting.known[attempt]
        guard sequence > 0,
            let after = rules.proof(id: attempt, sequence: sequence, state.counting.counters)
        else { return [] }
        var lost = state
        lost.counting.counters = after
        lost.success = max(state.success, sequence)
        lost.successByPIN = max(state.successByPIN, sequence)
        var kept = moved(actor, to: .idle, lost)
        kept.numbering.keep(ModelRules.ReceiptNumber(sequence: sequence, byPIN: true))
        return [lost, kept]
    }

    /// A biometric, under the last number that is committed; its receipt reaches the authentication server or is lost.
    private func touched(_ state: State) -> [State] {
        guard state.touchesLeft > 0,
            let after = rules.touch(sequence: state.numbering.sequence, state.counting.counters, receipt: state.numbering.receipt)
        else { return [] }
        var lost = state
        lost.touchesLeft -= 1
        lost.counting.counters = after
        lost.success = max(state.success, after.proven)
        var kept = lost
        kept.numbering.sequence = max(kept.numbering.sequence, after.proven)
        kept.numbering.keep(ModelRules.ReceiptNumber(sequence: after.proven, byPIN: false))
        return [lost, kept]
    }

    private func restorations(of state: State) -> [State] {
        guard state.restoresLeft > 0 else { return [] }
        var next: [State] = []
        if restored != .authentication { next += [saved(state, \.savedCounting, \.counting), restore(state, \.counting, \.savedCounting)] }
        if restored != .secondFactor {
            var back = restore(state, \.numbering, \.savedNumbering)
            back.numbering.open = 0
            next += [saved(state, \.savedNumbering, \.numbering), back]
        }
        return next
    }

    private func saved<Rows>(_ state: State, _ copy: WritableKeyPath<State, Rows>, _ rows: KeyPath<State, Rows>) -> State {
        var next = state
        next[keyPath: copy] = state[keyPath: rows]
        return next
    }

    private func restore<Rows>(_ state: State, _ rows: WritableKeyPath<State, Rows>, _ copy: KeyPath<State, Rows>) -> State {
        var next = saved(state, rows, copy)
        next.restoresLeft -= 1
        return next
    }

    private func moved(_ actor: Int, to phase: Phase, _ state: State) -> State {
        var next = state
        next.actors[actor].phase = phase
        return next
    }
}
