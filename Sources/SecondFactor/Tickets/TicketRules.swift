import OstiaryProtocol

/// What becomes of a ticket.
package enum TicketOutcome: Equatable, Sendable {
    /// Counted now or before: evaluate under the key, unless the attempt has its evaluation already.
    case admitted(AttemptRecord, key: WrappedKey?, Standing)
    /// Nothing was changed and nothing may be evaluated.
    case refused(TicketRefusal, Standing)
}

/// "At the SFS, on a Ticket" (protocol §7), after the checks that need no rows. The order of the guards is the order of the section.
package enum TicketRules {
    package static func decide(
        _ ticket: ProvenTicket, in situation: Situation, at now: Instant, under policy: Policy
    ) -> Ruling<TicketOutcome> {
        do throws(TicketRefusal) {
            try checkOwner(ticket, situation)
            if let attempt = situation.attempt { return try repeated(attempt, ticket, situation, at: now, under: policy) }
            guard now.distance(to: ticket.attempt.madeAt) <= Times.requestWindow else { throw .clock }
            if situation.instance?.state == .closed { throw .closed }
            switch ticket.checked.purpose {
            case .firstSet(let deviceKey): return try holdKey(for: deviceKey, ticket, situation, at: now, under: policy)
            case .verify, .enrol: return try count(ticket, situation, at: now, under: policy)
            }
        } catch {
            return Ruling(.refused(error, Standing(situation.instance, repairedBy: ticket.receipt, at: now, under: policy)))
        }
    }

    /// The instance is the caller's, and the device key that signed is still one of its keys.
    private static func checkOwner(_ ticket: ProvenTicket, _ situation: Situation) throws(TicketRefusal) {
        guard let instance = situation.instance else { return }
        guard instance.owner == ticket.checked.owner else { throw .otherServer }
        if case .firstSet = ticket.checked.purpose { return }
        guard let key = ticket.deviceKey, instance.deviceKeys.contains(key) else { throw .deviceSignature }
    }

    /// A known attempt: the first outcome, free; sealed hash, ephemeral key and time may differ.
    private static func repeated(
        _ known: AttemptRecord, _ ticket: ProvenTicket, _ situation: Situation, at now: Instant, under policy: Policy
    ) throws(TicketRefusal) -> Ruling<TicketOutcome> {
        let attempt = ticket.attempt
        guard known.owner == ticket.checked.owner, known.instanceID == attempt.instanceID, known.purpose == ticket.checked.purpose,
            known.sessionHash == attempt.sessionHash, known.epoch == attempt.epoch, known.blindedHash == attempt.blindedHash
        else { throw .attemptReused }
        guard known.state != .superseded else { throw .superseded }
        let key = key(of: known, in: situation)
        guard known.evaluation != nil || key != nil else { throw .superseded }
        let standing = Standing(highest: known.sequence, epoch: known.epoch, tries: known.tries)
        return Ruling(.admitted(known, key: key, standing))
    }

    /// The key under which an attempt is evaluated, as long as it exists.
    private static func key(of attempt: AttemptRecord, in situation: Situation) -> WrappedKey? {
        if let pending = situation.pending, pending.attemptID == attempt.id { return pending.evaluationKey }
        guard let instance = situation.instance, instance.epoch == attempt.epoch, case .open(let keys) = instance.state else { return nil }
        return keys.evaluationKey
    }

    /// VERIFY and ENROL: one more counted try.
    private static func count(
        _ ticket: ProvenTicket, _ situation: Situation, at now: Instant, under policy: Policy
    ) throws(TicketRefusal) -> Ruling<TicketOutcome> {
        guard var instance = situation.instance, case .open(let keys) = instance.state else { throw .unknownInstance }
        guard ticket.attempt.epoch == instance.epoch else { throw .wrongEpoch }
        if case .enrol(let joining) = ticket.checked.purpose {
            guard instance.hasRoom(for: joining) else { throw .tooManyDeviceKeys }
        }
        switch instance.counter.repaired(by: ticket.receipt).admit(ticket.ticket.sequence, at: now, under: policy) {
        case .outOfRange: throw .outOfRange
        case .behind: throw .behind
        case .blocked: throw .blocked
        case .penalised(let wait): throw .penalised(wait: wait)
        case .counted(let counter): instance.counter = counter
        }
        let standing = Standing(instance, at: now, under: policy)
        let attempt = record(ticket, sequence: ticket.ticket.sequence, tries: standing.tries, newKey: nil, at: now)
        return Ruling(.admitted(attempt, key: keys.evaluationKey, standing), [.saveInstance(instance), .saveAttempt(attempt)])
    }

    /// FIRST_SET: a key of its own for each attempt, never counted; another attempt erases the key of the one before.
    private static func holdKey(
        for deviceKey: [UInt8], _ ticket: ProvenTicket, _ situation: Situation, at now: Instant, under policy: Policy
    ) throws(TicketRefusal) -> Ruling<TicketOutcome> {
        guard situation.instance == nil else { throw .instanceExists }
        guard ticket.attempt.epoch == 1, ticket.ticket.sequence == 0, let fresh = ticket.freshKey else { throw .notAFirstSet }
        var changes: [Change] = []
        if let pending = situation.pending, now < pending.expiresAt {
            guard pending.owner == ticket.checked.owner, pending.deviceKey == deviceKey else { throw .pendingElsewhere }
            changes.append(.supersede(pending.attemptID))
        }
        let tries = Tries(failed: 0, most: UInt8(clamping: policy.maxAttempts), wait: 0, withoutPINLeft: 0)
        let attempt = record(ticket, sequence: 0, tries: tries, newKey: fresh.publicKey, at: now)
        let pending = PendingKey(
            instanceID: attempt.instanceID, owner: attempt.owner, attemptID: attempt.id, deviceKey: deviceKey, evaluationKey: fresh.wrapped,
            expiresAt: now + Times.pendingLifetime)
        let standing = Standing(highest: 0, epoch: attempt.epoch, tries: tries)
        return Ruling(.admitted(attempt, key: fresh.wrapped, standing), changes + [.hold(pending), .saveAttempt(attempt)])
    }

    private static func record(
        _ ticket: ProvenTicket, sequence: UInt64, tries: Tries, newKey: [UInt8]?, at now: Instant
    ) -> AttemptRecord {
        let attempt = ticket.attempt
        return AttemptRecord(
            id: attempt.attemptID, instanceID: attempt.instanceID, owner: ticket.checked.owner, sessionHash: attempt.sessionHash,
            purpose: ticket.checked.purpose, epoch: attempt.epoch, blindedHash: attempt.blindedHash, sequence: sequence, reservedAt: now,
            expiresAt: max(now, attempt.madeAt) + Times.requestWindow + Times.attemptRetention, tries: tries, newEvaluationKey: newKey,
            evaluation: nil, state: .reserved)
    }
}
