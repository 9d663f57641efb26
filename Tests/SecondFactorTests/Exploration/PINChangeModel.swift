import OstiaryProtocol

@testable import SecondFactor

/// A change of the PIN between a phone that may lose power and the second-factor server: every message may be lost, late or repeated. The promise is
/// that of `Models/pin_change.pml`: of the boxes on the phone exactly one opens.
struct PINChangeModel: ExploredModel {
    /// A way to build the parties wrongly. The search must find what each of them breaks.
    enum Mutant: CaseIterable {
        /// The phone drops the old box when it has stored the new one, before it is told that the change is done.
        case oldBoxDropped
        /// The server opens the next epoch and keeps the key of the one before.
        case oldKeyKept
        /// The server erases the old key in a commit of its own, before the switch.
        case keyErasedFirst
        /// The proof of an attempt that was replaced is taken.
        case replacedAttemptTaken
    }

    /// A box can be opened with the key that an attempt made: 0 for that of the first PIN.
    struct Box: Hashable {
        let epoch: UInt32
        let key: UInt8
    }

    struct State: Hashable {
        var instance: Instance
        var pending: PendingKey?
        var records: [UInt8: AttemptRecord] = [:]
        /// The epoch in which a PIN_CHANGE_VERIFY was proved; 0 for none.
        var voucher: UInt32 = 0
        /// Keys that should be gone.
        var kept: Set<Box> = []
        /// What the phone has stored; the first was acknowledged.
        var boxes = [Box(epoch: 1, key: 0)]
        /// The attempt that the phone waits for; forgotten when it loses power.
        var current: UInt8 = 0
        /// What is on its way, or was seen on its way: questions, evaluations, proofs, acknowledgements.
        var asked: Set<Box> = []
        var evaluated: Set<Box> = []
        var proved: Set<UInt8> = []
        var acknowledged: Set<UInt8> = []
        var attemptsLeft: UInt8
        var vouchersLeft: UInt8
    }

    let mutant: Mutant?
    let attempts: UInt8
    let changes: UInt8

    init(mutant: Mutant? = nil, attempts: UInt8 = 4, changes: UInt8 = 2) {
        self.mutant = mutant
        self.attempts = attempts
        self.changes = changes
    }

    var start: State {
        let keys = Instance.EpochKeys(secondFactorKey: RulesFixture.secondFactorKey, evaluationKey: WrappedKey([0]))
        let instance = Instance(
            id: RulesFixture.instanceID, owner: RulesFixture.owner, deviceKeys: [RulesFixture.deviceKey], epoch: 1, state: .open(keys),
            counter: Counter(at: RulesFixture.now), withoutPIN: 0, lastPIN: RulesFixture.now)
        return State(instance: instance, attemptsLeft: attempts, vouchersLeft: changes)
    }

    func violation(in state: State) -> String? {
        let opening = state.boxes.count { opens($0, in: state) }
        return opening == 1 ? nil : "\(opening) boxes open"
    }

    /// Whether the server evaluates under the key of this box.
    private func opens(_ box: Box, in state: State) -> Bool {
        if state.kept.contains(box) { return true }
        let decision = TicketRules.decide(
            RulesFixture.ticket(0xFE, sequence: 1, epoch: box.epoch), in: Situation(instance: state.instance), at: RulesFixture.now, under: .standard)
        guard case .admitted(_, let key, _) = decision.outcome else { return false }
        return key.bytes == [box.key]
    }

    func successors(of state: State) -> [State] {
        vouched(state) + begun(state) + state.asked.map { answered($0, state) } + state.evaluated.map { stored($0, state) }
            + state.proved.flatMap { switched($0, state) } + state.acknowledged.map { dropped($0, state) } + [crashed(state)]
    }

    private func vouched(_ state: State) -> [State] {
        guard state.vouchersLeft > 0 else { return [] }
        var next = state
        next.vouchersLeft -= 1
        next.voucher = state.instance.epoch
        return [next]
    }

    /// The phone asks for a key, or gives up and asks again; it asks for the epoch after its acknowledged box.
    private func begun(_ state: State) -> [State] {
        guard state.attemptsLeft > 0, let box = state.boxes.first else { return [] }
        var next = state
        next.attemptsLeft -= 1
        next.current = attempts - next.attemptsLeft
        next.asked.insert(Box(epoch: box.epoch + 1, key: next.current))
        return [next]
    }

    private func rows(_ attempt: UInt8, _ state: State) -> Situation {
        var voucher: AttemptRecord?
        if state.voucher > 0 {
            voucher = AttemptRecord(
                id: RulesFixture.attemptID(0xFF), instanceID: RulesFixture.instanceID, owner: RulesFixture.owner, sessionHash: [],
                purpose: .pinChangeVerify,
                epoch: state.voucher, blindedHash: [], sequence: 0, madeAt: RulesFixture.now, reservedAt: RulesFixture.now,
                expiresAt: RulesFixture.now,
                tries: .none, state: .done(.init(method: .pin, at: RulesFixture.now, signatureHash: [], receipt: [])))
        }
        return Situation(instance: state.instance, attempt: state.records[attempt], pending: state.pending, voucher: voucher)
    }

    private func applied(_ changes: [Change], _ attempt: UInt8, _ state: State) -> State {
        var next = state
        for change in changes {
            switch change {
            case .saveInstance(let instance): next.instance = instance
            case .saveAttempt(let record): next.records[attempt] = record
            case .hold(let key): next.pending = key
            case .dropPending: next.pending = nil
            case .supersede(let id): if let number = id.bytes.first { next.records[number]?.state = .superseded }
            case .forgetAttempts, .log: break
            }
        }
        return next
    }

    /// M1 reaches the server, for the first time or again.
    private func answered(_ asked: Box, _ state: State) -> State {
        let fresh = FreshKey(wrapped: WrappedKey([asked.key]), publicKey: Filled(asked.key).bytes(32))
        let ticket = RulesFixture.ticket(
            asked.key, sequence: 0, purpose: .pinChangeSet(voucher: RulesFixture.attemptID(0xFF)), epoch: asked.epoch, freshKey: fresh)
        let decision = TicketRules.decide(ticket, in: rows(asked.key, state), at: RulesFixture.now, under: .standard)
        guard decision.outcome.admitted != nil else { return state }
        var next = applied(decision.changes, asked.key, state)
        next.evaluated.insert(asked)
        return next
    }

    /// M2 reaches the phone, which stores the new box and only then sends M3.
    private func stored(_ evaluated: Box, _ state: State) -> State {
        guard state.current == evaluated.key, let old = state.boxes.first, evaluated.epoch == old.epoch + 1 else { return state }
        var next = state
        next.boxes = mutant == .oldBoxDropped ? [evaluated] : [old, evaluated]
        next.proved.insert(evaluated.key)
        return next
    }

    /// M3 reaches the server.
    private func switched(_ attempt: UInt8, _ state: State) -> [State] {
        var situation = rows(attempt, state)
        if mutant == .replacedAttemptTaken, situation.attempt?.state == .superseded { situation.attempt?.state = .reserved }
        if mutant == .replacedAttemptTaken, let pending = state.pending {
            situation.pending = PendingKey(
                instanceID: pending.instanceID, owner: pending.owner, attemptID: RulesFixture.attemptID(attempt), deviceKey: pending.deviceKey,
                evaluationKey: WrappedKey([attempt]), expiresAt: pending.expiresAt)
        }
        let epoch = situation.attempt?.epoch ?? 0
        let proof = RulesFixture.proof(attempt, sequence: 0, context: .pinChangeSet, epoch: epoch)
        let decision = ProofRules.decide(proof, in: situation, at: RulesFixture.now, under: .standard) { _ in [] }
        guard decision.outcome.receipt != nil else { return [state] }
        var next = applied(decision.changes, attempt, state)
        next.acknowledged.insert(attempt)
        guard next.instance.epoch > state.instance.epoch, let former = state.instance.openKeys?.evaluationKey.bytes.first else { return [next] }
        switch mutant {
        case .oldKeyKept:
            next.kept.insert(Box(epoch: state.instance.epoch, key: former))
            return [next]
        case .keyErasedFirst:
            var between = state
            between.instance.close()
            return [between, next]
        case .oldBoxDropped, .replacedAttemptTaken, nil: return [next]
        }
    }

    /// M4 reaches the phone, which drops the old box.
    private func dropped(_ attempt: UInt8, _ state: State) -> State {
        guard let newest = state.boxes.last, newest.key == attempt else { return state }
        var next = state
        next.boxes = [newest]
        return next
    }

    private func crashed(_ state: State) -> State {
        var next = state
        next.current = 0
        return next
    }
}

/// A state of the search is what its rows say of an attempt.
extension AttemptRecord: Hashable {
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(state)
    }
}
