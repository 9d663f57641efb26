import Authentication
import OstiaryProtocol

/// Biometrics and changes of the PIN (protocol §7).
extension SecondFactorDouble {
    /// A new key for the next epoch, if a PIN_CHANGE_VERIFY of the present one vouches.
    func beginChange(_ ticket: Ticket, _ inner: OpenedRequest, _ counter: Counter, _ state: inout State) throws -> SecondFactorAnswer {
        let attempt = ticket.attempt.value
        guard let voucher = AttemptID(ticket.payload).flatMap({ state.memory.rows[$0] }), voucher.receipt != nil, ticket.sequence == 0,
            voucher.attempt.context == .pinChangeVerify, voucher.attempt.epoch == counter.epoch, attempt.epoch == counter.epoch + 1
        else { return says(.init(.refused, attempt.attemptID, counter)) }
        return try evaluate(ticket, inner, counter, try OPRFKey.generate(), &state)
    }

    func switchEpoch(_ row: Row, _ proof: Proof, _ memory: inout Memory) {
        guard var counter = memory.counters[proof.instanceID], let key = row.pending, let secondFactorKey = proof.secondFactorKey else { return }
        counter.epoch = proof.epoch
        counter.key = key
        counter.secondFactorKey = secondFactorKey
        counter.withoutPIN = 0
        counter.lastPIN = memory.now
        memory.counters[proof.instanceID] = counter
    }

    /// What a context does besides counting.
    func effect(_ context: SecondFactorContext, _ payload: [UInt8], _ counter: inout Counter) {
        switch context {
        case .biometricsAdd: counter.biometricKey = payload
        case .biometricsRemove: counter.biometricKey = nil
        case .verify, .firstSet, .enrol, .pinChangeVerify, .pinChangeSet: break
        }
    }

    /// Whether the biometric key signed, where the method has one.
    func isSignedByBiometric(_ proof: Proof, madeAt: Instant, _ memory: Memory) -> Bool {
        guard proof.method.contains(.bio) else { return proof.biometricSignature == nil }
        guard let signature = proof.biometricSignature, let key = memory.counters[proof.instanceID]?.biometricKey else { return false }
        let content = Transcript.biometric(
            instance: proof.instanceID, attempt: proof.attemptID, context: proof.context, sessionHash: proof.sessionHash, madeAt: madeAt)
        return (try? DevicePublicKey(key).verify(signature, .bio, content)) != nil
    }

    /// A biometric on its own: counted by nobody, it lifts tries, penalty and block.
    func biometric(_ proof: Proof, _ ticket: Ticket, _ state: inout State) -> SecondFactorAnswer {
        state.tickets.append(ticket)
        let (id, attempt) = (proof.attemptID, ticket.attempt.value)
        guard !state.memory.closed.contains(proof.instanceID) else { return says(.init(.closed, id)) }
        guard var counter = state.memory.counters[proof.instanceID] else { return says(.init(.secondFactorUnknown, id)) }
        if let receipt = state.memory.rows[id]?.receipt {
            var saying = Saying(.ok, id, counter)
            saying.receipt = receipt
            return says(saying)
        }
        guard isSignedByBiometric(proof, madeAt: attempt.madeAt, state.memory), attempt.attemptID == id, attempt.epoch == counter.epoch,
            attempt.sessionHash == proof.sessionHash
        else { return says(.init(.refused, id, counter)) }
        let most = state.mishaps.mostWithoutPIN
        guard most == 0 || counter.withoutPIN < most else { return says(.init(.pinRequired, id, counter)) }
        counter.highest = max(counter.highest, ticket.sequence)
        counter.proved = counter.highest
        counter.penaltyUntil = Instant(0)
        counter.withoutPIN += 1
        effect(proof.context, ticket.payload, &counter)
        state.memory.counters[proof.instanceID] = counter
        let receipt = receipt(proof, number: counter.highest, state)
        let zero = SecondFactorEvaluation(attemptID: id, evaluation: [], evaluationKey: nil, tries: .none)
        state.memory.rows[id] = Row(
            attempt: attempt, payload: ticket.payload, sequence: counter.highest, evaluation: zero, pending: nil, proof: nil, receipt: receipt)
        var saying = Saying(.ok, id, counter)
        saying.receipt = receipt
        return says(saying)
    }

    /// A receipt for whatever is asked, as it should look.
    func believed(_ proof: Proof, _ state: State) -> SecondFactorAnswer {
        var saying = Saying(.ok, proof.attemptID, state.memory.counters[proof.instanceID])
        saying.receipt = receipt(proof, number: state.memory.rows[proof.attemptID]?.sequence ?? 1, state)
        return says(saying)
    }
}
