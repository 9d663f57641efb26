import OstiaryProtocol

/// What becomes of a ticket.
package enum TicketOutcome: Equatable, Sendable {
    /// Counted now or before: evaluate under the key.
    case admitted(AttemptRecord, key: WrappedKey, Standing)
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
            case .pinChangeSet: return try holdNextKey(ticket, situation, at: now, under: policy)
            case .verify, .enrol, .biometricsAdd, .biometricsRemove, .pinChangeVerify: return try count(ticket, situation, at: now, under: policy)
            }
        } catch {
            let settled = situation.settled(at: now).instance
            let instance = remembered(settled, after: error, of: ticket, under: policy)
            // What the refusal has just taught is told with it: a restored row says how many tries were used, not how many it had.
            let standing = Standing(instance ?? settled, repairedBy: ticket.receipt, at: now, under: policy)
            return Ruling(.refused(error, standing), instance.map { $0 == situation.instance ? [] : [.saveInstance($0)] } ?? [])
        }
    }

    /// What a refusal leaves behind: after a block the numbers before this one are known to be used up.
    private static func remembered(
        _ settled: Instance?, after refusal: TicketRefusal, of ticket: ProvenTicket, under policy: Policy
    ) -> Instance? {
        guard refusal == .blocked, var instance = settled else { return nil }
        let repaired = instance.counter.repaired(by: ticket.receipt)
        guard let noted = repaired.noting(refused: ticket.ticket.sequence, under: policy) else { return nil }
        instance.counter = noted
        return instance
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
        guard let key = key(of: known, in: situation) else { throw isOfFormerEpoch(known, situation) ? .wrongEpoch : .superseded }
        let standing = Standing(highest: known.sequence, epoch: situation.instance?.epoch ?? known.epoch, tries: known.tries)
        return Ruling(.admitted(known, key: key, standing))
    }

    /// The key under which an attempt is evaluated, as long as it exists.
    private static func key(of attempt: AttemptRecord, in situation: Situation) -> WrappedKey? {
        if let pending = situation.pending, pending.attemptID == attempt.id { return pending.evaluationKey }
        guard let instance = situation.instance, instance.epoch == attempt.epoch, case .open(let keys) = instance.state else { return nil }
        return keys.evaluationKey
    }

    /// Whether the PIN was changed since: the key went with that, and the phone has the box of the epoch that is active now.
    private static func isOfFormerEpoch(_ attempt: AttemptRecord, _ situation: Situation) -> Bool {
        guard let instance = situation.instance, instance.openKeys != nil else { return false }
        return attempt.epoch < instance.epoch
    }

    /// What is proved by PIN: one more counted try.
    private static func count(
        _ ticket: ProvenTicket, _ situation: Situation, at now: Instant, under policy: Policy
    ) throws(TicketRefusal) -> Ruling<TicketOutcome> {
        guard var instance = situation.settled(at: now).instance, case .open(let keys) = instance.state else { throw .unknownInstance }
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
        // By the clock that counted: its age is measured by the same.
        let attempt = record(ticket, sequence: ticket.ticket.sequence, tries: standing.tries, at: instance.counter.lastSeen)
        return Ruling(.admitted(attempt, key: keys.evaluationKey, standing), [.saveInstance(instance), .saveAttempt(attempt)])
    }

    /// FIRST_SET: a key for an instance that is not there yet.
    private static func holdKey(
        for deviceKey: [UInt8], _ ticket: ProvenTicket, _ situation: Situation, at now: Instant, under policy: Policy
    ) throws(TicketRefusal) -> Ruling<TicketOutcome> {
        guard situation.instance == nil else { throw .instanceExists }
        guard ticket.attempt.epoch == 1, ticket.ticket.sequence == 0 else { throw .notAFirstSet }
        let tries = Tries(
            failed: 0, most: UInt8(clamping: policy.maxAttempts), wait: 0, withoutPINLeft: policy.withoutPINLeft(after: 0))
        let standing = Standing(highest: 0, epoch: ticket.attempt.epoch, tries: tries)
        return try hold(ticket, for: deviceKey, situation, standing, at: now)
    }

    /// PIN_CHANGE_SET: a key for the next epoch of an instance, after a PIN_CHANGE_VERIFY. The tries are not touched.
    private static func holdNextKey(
        _ ticket: ProvenTicket, _ situation: Situation, at now: Instant, under policy: Policy
    ) throws(TicketRefusal) -> Ruling<TicketOutcome> {
        guard let instance = situation.instance, let deviceKey = ticket.deviceKey else { throw .unknownInstance }
        guard ticket.ticket.sequence == 0 else { throw .notAPINChange }
        guard instance.epoch < .max, ticket.attempt.epoch == instance.epoch + 1 else { throw .wrongEpoch }
        let method = try voucher(of: instance, in: situation, at: now, under: policy)
        let standing = Standing(highest: 0, epoch: instance.epoch, tries: instance.tries(at: now, under: policy))
        return try hold(ticket, for: deviceKey, situation, standing, vouchedBy: method, at: now)
    }

    /// By what the PIN_CHANGE_VERIFY was proved: a PIN, if one was among it. Its epoch is over when it was used. No clock makes it younger: neither one
    /// that was set back, nor one that was ahead when it was proved.
    private static func voucher(
        of instance: Instance, in situation: Situation, at now: Instant, under policy: Policy
    ) throws(TicketRefusal) -> Methods {
        guard let voucher = situation.voucher, voucher.instanceID == instance.id, voucher.owner == instance.owner,
            voucher.purpose == .pinChangeVerify, voucher.epoch == instance.epoch, case .done(let completion) = voucher.state,
            max(now, instance.counter.lastSeen).seconds(since: completion.at) < Times.voucherLifetime,
            now.distance(to: completion.at) < Times.voucherLifetime
        else { throw .notVouchedFor }
        if completion.method.contains(.pin) { return .pin }
        guard !policy.disallowPINChangeWithBiometric else { throw .notVouchedFor }
        return .bio
    }

    /// A key of its own for each attempt, never counted; another attempt erases the key of the one before.
    private static func hold(
        _ ticket: ProvenTicket, for deviceKey: [UInt8], _ situation: Situation, _ standing: Standing, vouchedBy method: Methods? = nil,
        at now: Instant
    ) throws(TicketRefusal) -> Ruling<TicketOutcome> {
        guard let fresh = ticket.freshKey else { throw .superseded }
        var changes: [Change] = []
        if let pending = situation.pending, pending.isAlive(at: now) {
            guard pending.owner == ticket.checked.owner, pending.deviceKey == deviceKey else { throw .pendingElsewhere }
            changes.append(.supersede(pending.attemptID))
        }
        let clock = max(now, situation.instance?.counter.lastSeen ?? now)
        let attempt = record(ticket, sequence: 0, tries: standing.tries, newKey: fresh.publicKey, vouchedBy: method, at: clock)
        let pending = PendingKey(
            instanceID: attempt.instanceID, owner: attempt.owner, attemptID: attempt.id, deviceKey: deviceKey, evaluationKey: fresh.wrapped,
            expiresAt: now + Times.pendingLifetime)
        return Ruling(.admitted(attempt, key: fresh.wrapped, standing), changes + [.saveAttempt(attempt), .hold(pending)])
    }

    private static func record(
        _ ticket: ProvenTicket, sequence: UInt64, tries: Tries, newKey: [UInt8]? = nil, vouchedBy method: Methods? = nil, at clock: Instant
    ) -> AttemptRecord {
        let attempt = ticket.attempt
        return AttemptRecord(
            id: attempt.attemptID, instanceID: attempt.instanceID, owner: ticket.checked.owner, sessionHash: attempt.sessionHash,
            purpose: ticket.checked.purpose, epoch: attempt.epoch, blindedHash: attempt.blindedHash, sequence: sequence,
            madeAt: attempt.madeAt, reservedAt: clock, expiresAt: AttemptRecord.expiry(madeAt: attempt.madeAt, reservedAt: clock), tries: tries,
            newEvaluationKey: newKey, vouchedBy: method, state: .reserved)
    }
}
