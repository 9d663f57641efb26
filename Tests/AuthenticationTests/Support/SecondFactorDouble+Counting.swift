import Authentication
import OstiaryProtocol

extension SecondFactorDouble {
    func handle(_ type: MessageType, _ call: SecondFactorCall, _ state: inout State) throws -> SecondFactorAnswer {
        switch type {
        case .ticket: return try count(try checked(Ticket.self, of: call, state.memory.now).value, call, &state)
        case .proof: return try prove(try checked(Proof.self, of: call, state.memory.now).value, &state)
        case .close:
            let close = try checked(Close.self, of: call, state.memory.now)
            state.memory.counters[close.value.instanceID] = nil
            return says(.init(state.memory.closed.insert(close.value.instanceID).inserted ? .ok : .closed, close.answerID))
        case .leave:
            let leave = try checked(Leave.self, of: call, state.memory.now)
            state.memory.counters[leave.value.instanceID]?.deviceKeys.remove(leave.value.deviceKey)
            return says(.init(.ok, leave.answerID))
        case .reset: return reset(try checked(Reset.self, of: call, state.memory.now), &state.memory)
        default: throw SecondFactorUnreachable()
        }
    }

    /// A message that the calling server signed.
    private func checked<Message: WireMessage & OperatorSigned>(
        _: Message.Type, of call: SecondFactorCall, _ now: Instant
    ) throws -> Encoded<Message> {
        let message = try Encoded<Message>(decoding: call.message)
        try message.verify(with: try OperatorKeys.verify(call.caller.value, rootHash: call.caller.value.root.hash), at: now)
        return message
    }

    struct Saying {
        var status: Status
        /// Or what names an order.
        var attempt: AttemptID
        var counter: Counter?
        var sealed: [UInt8] = []
        var receipt: Encoded<Receipt>?
        var wait: UInt64 = 0

        init(_ status: Status, _ attempt: AttemptID, _ counter: Counter? = nil) {
            self.status = status
            self.attempt = attempt
            self.counter = counter
        }
    }

    func says(_ saying: Saying, highest: UInt64? = nil) -> SecondFactorAnswer {
        SecondFactorAnswer(
            attemptID: saying.attempt, status: saying.status, highest: highest ?? saying.counter?.highest ?? 0, epoch: saying.counter?.epoch ?? 0,
            tries: tries(saying.counter, wait: saying.wait), sealed: saying.sealed, receipt: saying.receipt)
    }

    private func tries(_ counter: Counter?, wait: UInt64) -> Tries {
        Tries(
            failed: UInt8(clamping: counter?.failed ?? 0), most: UInt8(Self.mostTries), wait: UInt32(clamping: wait),
            withoutPINLeft: Tries.unlimited - (counter?.withoutPIN ?? 0))
    }

    // MARK: a ticket

    private func count(_ ticket: Ticket, _ call: SecondFactorCall, _ state: inout State) throws -> SecondFactorAnswer {
        let attempt = ticket.attempt.value
        let id = attempt.attemptID
        state.tickets.append(ticket)
        state.receiptsShown.append(call.receipt?.value.sequence)
        guard let inner = try? OpenedRequest(call.sealed, with: keys.prekey), attempt.sealedHash == SHA(call.sealed),
            attempt.ephemeralHash == SHA(inner.ephemeral), attempt.blindedHash == SHA(inner.message), isOwn(ticket, state.memory)
        else { return says(.init(.refused, id)) }
        if let row = state.memory.rows[id] { return try repeated(row, attempt, inner, state.memory) }
        guard attempt.madeAt.distance(to: state.memory.now) <= 120 else { return says(.init(.clock, id)) }
        guard !state.memory.closed.contains(attempt.instanceID) else { return says(.init(.closed, id)) }
        if attempt.context == .firstSet { return try begin(ticket, inner, &state) }
        guard var counter = state.memory.counters[attempt.instanceID] else { return says(.init(.secondFactorUnknown, id)) }
        if attempt.context == .pinChangeSet { return try beginChange(ticket, inner, counter, &state) }
        guard attempt.epoch == counter.epoch else { return says(.init(.wrongEpoch, id, counter)) }
        let refusal = number(ticket, &counter, told: call.receipt.map { genuine($0, state.memory.now) } ?? 0, state.memory.now)
        if let refusal { return refusal }
        state.memory.counters[attempt.instanceID] = counter
        return try evaluate(ticket, inner, counter, nil, &state)
    }

    /// Counts, or says why not; nothing changes then (protocol §7).
    private func number(_ ticket: Ticket, _ counter: inout Counter, told: UInt64, _ now: Instant) -> SecondFactorAnswer? {
        let id = ticket.attempt.value.attemptID
        let proved = max(counter.proved, told)
        let highest = max(counter.highest, proved)
        guard ticket.sequence > highest else { return says(.init(.sequence, id, counter), highest: highest) }
        let failed = ticket.sequence - 1 - proved
        guard failed < Self.mostTries else { return says(.init(.blocked, id, counter)) }
        guard now >= counter.penaltyUntil else {
            var saying = Saying(.penalised, id, counter)
            saying.wait = counter.penaltyUntil.seconds(since: now)
            return says(saying)
        }
        counter.highest = ticket.sequence
        counter.proved = proved
        counter.penaltyUntil = now + Self.penalties[Int(failed)]
        return nil
    }

    private func genuine(_ receipt: Encoded<Receipt>, _ now: Instant) -> UInt64 {
        let keys = try? OperatorKeys.verify(self.keys.chain.value, rootHash: self.keys.root.hash)
        return keys.map { (try? receipt.verify(with: $0, at: now)) != nil } == true ? receipt.value.sequence : 0
    }

    private func isOwn(_ ticket: Ticket, _ memory: Memory) -> Bool {
        let attempt = ticket.attempt
        let first = attempt.value.context == .firstSet ? [Array(ticket.payload.prefix(DevicePublicKey.count))] : []
        let known = memory.counters[attempt.value.instanceID].map { Array($0.deviceKeys) } ?? []
        guard !(first + known).isEmpty else { return true }
        return (first + known).contains { key in (try? attempt.verify(by: try DevicePublicKey(key))) != nil }
    }

    /// A new key for an instance that does not exist yet.
    private func begin(_ ticket: Ticket, _ inner: OpenedRequest, _ state: inout State) throws -> SecondFactorAnswer {
        let attempt = ticket.attempt.value
        guard state.memory.counters[attempt.instanceID] == nil, ticket.sequence == 0 else { return says(.init(.refused, attempt.attemptID)) }
        return try evaluate(ticket, inner, nil, try OPRFKey.generate(), &state)
    }

    func evaluate(
        _ ticket: Ticket, _ inner: OpenedRequest, _ counter: Counter?, _ pending: OPRFKey?, _ state: inout State
    ) throws -> SecondFactorAnswer {
        let attempt = ticket.attempt.value
        state.evaluations += 1
        let key = try present(pending ?? counter?.key)
        let evaluation = SecondFactorEvaluation(
            attemptID: attempt.attemptID, evaluation: try key.evaluate(inner.message), evaluationKey: pending?.publicKey,
            tries: tries(counter, wait: 0))
        let row = Row(attempt: attempt, payload: ticket.payload, sequence: ticket.sequence, evaluation: evaluation, pending: pending)
        state.memory.rows[attempt.attemptID] = row
        return try evaluated(row, counter, inner, state.memory.now)
    }

    private func evaluated(_ row: Row, _ counter: Counter?, _ inner: OpenedRequest, _ now: Instant) throws -> SecondFactorAnswer {
        var saying = Saying(.ok, row.attempt.attemptID, counter)
        saying.sealed = try inner.answer(.ok, body: row.evaluation.encoded, at: now, signedBy: keys.operatorKey)
        return says(saying)
    }

    /// The same attempt again: its first outcome, sealed anew.
    private func repeated(_ row: Row, _ attempt: Attempt, _ inner: OpenedRequest, _ memory: Memory) throws -> SecondFactorAnswer {
        let known = row.attempt
        guard known.instanceID == attempt.instanceID, known.sessionHash == attempt.sessionHash, known.context == attempt.context,
            known.epoch == attempt.epoch, known.blindedHash == attempt.blindedHash
        else { return says(.init(.refused, attempt.attemptID)) }
        return try evaluated(row, memory.counters[known.instanceID], inner, memory.now)
    }

    // MARK: a proof, a reset

    private func prove(_ proof: Proof, _ state: inout State) throws -> SecondFactorAnswer {
        if state.mishaps.believesAnything { return believed(proof, state) }
        if let ticket = proof.ticket { return biometric(proof, ticket.value, &state) }
        guard var row = state.memory.rows[proof.attemptID], row.attempt.sessionHash == proof.sessionHash, row.attempt.context == proof.context,
            row.attempt.instanceID == proof.instanceID, let signature = proof.secondFactorSignature
        else { return says(.init(.refused, proof.attemptID)) }
        if row.receipt == nil {
            guard isProved(row, proof, signature, state.memory) else { return says(.init(.refused, proof.attemptID)) }
            take(row, proof, &state.memory)
            row.proof = signature
            row.receipt = receipt(proof, number: row.sequence, state)
            state.memory.rows[proof.attemptID] = row
        }
        guard row.proof == signature else { return says(.init(.refused, proof.attemptID)) }
        var saying = Saying(.ok, proof.attemptID, state.memory.counters[proof.instanceID])
        saying.receipt = row.receipt
        return says(saying)
    }

    private func isProved(_ row: Row, _ proof: Proof, _ signature: [UInt8], _ memory: Memory) -> Bool {
        let attempt = row.attempt
        guard isSignedByBiometric(proof, madeAt: attempt.madeAt, memory) else { return false }
        guard let bytes = proof.secondFactorKey ?? memory.counters[attempt.instanceID]?.secondFactorKey, let key = try? EdwardsPublicKey(bytes)
        else { return false }
        if let pending = row.pending {
            let content = Transcript.secondFactorSet(
                instance: attempt.instanceID, attempt: attempt.attemptID, context: attempt.context, sessionHash: attempt.sessionHash,
                evaluationKey: pending.publicKey, secondFactorKey: bytes)
            return (try? key.verify(signature, .secondFactorSet, content)) != nil
        }
        let content = Transcript.secondFactorProof(
            instance: attempt.instanceID, attempt: attempt.attemptID, context: attempt.context, sessionHash: attempt.sessionHash)
        return (try? key.verify(signature, .secondFactorProof, content)) != nil
    }

    private func take(_ row: Row, _ proof: Proof, _ memory: inout Memory) {
        let device = Array(row.payload.prefix(DevicePublicKey.count))
        if proof.context == .pinChangeSet { return switchEpoch(row, proof, &memory) }
        if let pending = row.pending, let key = proof.secondFactorKey {
            memory.counters[proof.instanceID] = Counter(
                server: proof.serverID, deviceKeys: [device], key: pending, secondFactorKey: key, lastPIN: memory.now)
        }
        if row.attempt.context == .enrol { memory.counters[proof.instanceID]?.deviceKeys.insert(device) }
        guard var counter = memory.counters[proof.instanceID] else { return }
        counter.proved = max(counter.proved, row.sequence)
        if counter.proved == counter.highest { counter.penaltyUntil = Instant(0) }
        counter.withoutPIN = 0
        counter.lastPIN = memory.now
        effect(proof.context, row.payload, &counter)
        memory.counters[proof.instanceID] = counter
    }

    func receipt(_ proof: Proof, number: UInt64, _ state: State) -> Encoded<Receipt> {
        let now = state.memory.now
        let counter = state.memory.counters[proof.instanceID]
        let receipt = Receipt(
            serverID: proof.serverID, instanceID: proof.instanceID, attemptID: proof.attemptID, sessionHash: proof.sessionHash,
            context: proof.context, method: proof.method, epoch: proof.epoch, sequence: number,
            secondFactorKey: proof.secondFactorKey ?? counter?.secondFactorKey ?? [UInt8](repeating: 0, count: 32),
            signaturesHash: SHA((proof.secondFactorSignature ?? []) + (proof.biometricSignature ?? [])), withoutPIN: counter?.withoutPIN ?? 0,
            lastPIN: counter?.lastPIN ?? now, issuedAt: now)
        let said = state.mishaps.receiptLie?(receipt) ?? receipt
        return Encoded(said, signedBy: state.mishaps.receiptIsStrangers ? stranger.operatorKey : keys.operatorKey)
    }

    private func reset(_ reset: Encoded<Reset>, _ memory: inout Memory) -> SecondFactorAnswer {
        let id = reset.answerID
        guard var counter = memory.counters[reset.value.instanceID] else { return says(.init(.secondFactorUnknown, id)) }
        guard counter.failed >= 5 else { return says(.init(.ok, id, counter)) }
        guard counter.resets < 1 else { return says(.init(.tooMany, id, counter)) }
        counter.proved = counter.highest
        counter.penaltyUntil = Instant(0)
        counter.resets += 1
        memory.counters[reset.value.instanceID] = counter
        return says(.init(.ok, id, counter))
    }
}
