import OstiaryProtocol

/// M1: numbers an attempt, has it counted and evaluated by the second-factor server, and relays the answer (protocol §7).
package struct AttemptService: Sendable {
    private let store: any AuthenticationStore
    private let keyring: any ServerKeyring
    private let events: any SessionEvents
    private let secondFactor: SecondFactorClient
    private let closure: InstanceClosure

    package init(
        store: any AuthenticationStore, keyring: any ServerKeyring, events: any SessionEvents, secondFactor: SecondFactorClient
    ) {
        self.store = store
        self.keyring = keyring
        self.events = events
        self.secondFactor = secondFactor
        closure = InstanceClosure(store: store, events: events)
    }

    /// A SEQ answer means that the numbers of the two servers had drifted apart: once more with the number after theirs.
    package func evaluate(_ request: PhoneRequest) async throws -> Reply {
        let message = try decoded(M1.self, from: request)
        let first = try await round(message, request, spends: true)
        guard first.status == .sequence else { return first.reply }
        let second = try await round(message, request, spends: false)
        guard second.status != .sequence else { throw Refusal.secondFactorUnavailable }
        return second.reply
    }

    /// One ticket, one answer: reserved and committed, asked, settled and committed, and only then given out.
    private func round(_ message: Encoded<M1>, _ request: PhoneRequest, spends: Bool) async throws -> (status: Status, reply: Reply) {
        let derivation = try await keyring.keys(of: request.server).derivation
        let admission = AttemptAdmission(message: message.value, request: request, derivation: derivation)
        if spends { try await request.verifyAhead(message.value.attempt, in: store) { rows in try admission.deviceKey(in: rows) } }
        let reservation = try await store.write { rows, former -> AttemptReservation in
            var reservation = try admission.reserve(in: rows)
            if spends { try request.spend(in: rows, again: former != nil) }
            reservation.claimed = reservation.claimed ?? former?.claimed
            return reservation
        }
        if let session = reservation.claimed { events.publish(.about(session, .claimed)) }
        let answer = try await secondFactor.ask(
            reservation.ticket, sealed: message.value.sealed, receipts: reservation.receipts, now: request.now)
        guard answer.status != .closed else {
            throw try await closure.end(reservation.ticket.attempt.value.instanceID, tellingPhoneOf: reservation.account, at: request.now)
        }
        let share = try await settle(answer, reservation, request)
        guard answer.status != .clock, answer.status.isOfSecondFactor else { throw Refusal.secondFactor(answer.status) }
        let body = M2(epoch: answer.epoch, tries: answer.tries, serverShare: share, sealed: answer.sealed)
        return (answer.status, Reply(body, status: answer.status))
    }

    /// Commits the answer of a counted attempt and returns the share that goes with it, only if it was evaluated.
    private func settle(_ answer: SecondFactorAnswer, _ reservation: AttemptReservation, _ request: PhoneRequest) async throws -> [UInt8]? {
        let attempt = reservation.ticket.attempt.value
        guard !attempt.context.setsPIN else { return answer.status == .ok ? reservation.newShare : nil }
        let settled = try await store.write { rows, former -> SettledAttempt in
            guard var instance = try rows.instance(attempt.instanceID) else { throw Refusal.attemptReplaced }
            if let former, instance.sequence.hasSettled(attempt.attemptID, as: former.sequence) { return former }
            let isEvaluated = answer.status == .ok
            let relays = try instance.sequence.settle(attempt.attemptID, highest: answer.highest, evaluated: isEvaluated)
            if isEvaluated, relays { instance.note(TriedAttempt(attempt)) }
            try rows.save(instance)
            let share = isEvaluated ? instance.epoch(attempt.epoch)?.serverShare : nil
            return SettledAttempt(sequence: instance.sequence, relays: relays, share: try share?.bytes())
        }
        guard settled.relays else { throw Refusal.numberUsed }
        return settled.share
    }
}

/// An attempt whose answer was taken.
private struct SettledAttempt: Sendable {
    let sequence: AttemptSequence
    /// Whether the answer may be given out.
    let relays: Bool
    let share: [UInt8]?
}

/// An attempt with its number.
struct AttemptReservation: Sendable {
    let account: AccountID
    let ticket: Ticket
    let receipts: KnownReceipts
    /// The share of a PIN that is about to be set.
    let newShare: [UInt8]?
    /// The session that this very attempt claimed.
    var claimed: Session?
}
