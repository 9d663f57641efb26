import OstiaryProtocol

/// The store as plain values, for tests of the rules: one actor, so that every question is one step.
package actor InMemorySecondFactorStore: SecondFactorStore {
    private let policy: Policy
    private var instances: [InstanceID: Instance] = [:]
    private var attempts: [AttemptID: AttemptRecord] = [:]
    private var pending: [InstanceID: PendingKey] = [:]
    package private(set) var resets: [ResetRecord] = []

    package init(policy: Policy = .standard) { self.policy = policy }

    package func situation(of instance: InstanceID, attempt: AttemptID, voucher: AttemptID?) -> Situation {
        Situation(
            instance: instances[instance], attempt: attempts[attempt], pending: pending[instance], voucher: voucher.flatMap { attempts[$0] },
            resets: resets.filter { $0.instanceID == instance })
    }

    package func reserve(_ ticket: ProvenTicket, at now: Instant) -> TicketOutcome {
        let rows = situation(of: ticket.attempt.instanceID, attempt: ticket.attempt.attemptID, voucher: ticket.checked.purpose.voucher)
        return make(TicketRules.decide(ticket, in: rows, at: now, under: policy))
    }

    package func keep(evaluation: [UInt8], of attempt: AttemptID) {
        guard attempts[attempt]?.evaluation == nil else { return }
        attempts[attempt]?.evaluation = evaluation
    }

    package func complete(_ proof: ProvenProof, at now: Instant, signing: @escaping SignReceipt) -> ProofOutcome {
        let rows = situation(of: proof.checked.proof.instanceID, attempt: proof.checked.proof.attemptID, voucher: nil)
        return make(ProofRules.decide(proof, in: rows, at: now, under: policy, signing: signing))
    }

    package func complete(_ proof: ProvenBiometric, at now: Instant, signing: @escaping SignReceipt) -> ProofOutcome {
        let rows = situation(of: proof.attempt.instanceID, attempt: proof.attempt.attemptID, voucher: nil)
        return make(BiometricRules.decide(proof, in: rows, at: now, under: policy, signing: signing))
    }

    package func close(_ instance: InstanceID, by owner: VirtualServer, at now: Instant) -> CloseOutcome {
        let rows = Situation(instance: instances[instance], pending: pending[instance])
        return make(CloseRules.decide(instance, by: owner, in: rows, at: now, under: policy))
    }

    package func leave(_ deviceKey: [UInt8], _ instance: InstanceID, by owner: VirtualServer, at now: Instant) -> LeaveOutcome {
        let rows = Situation(instance: instances[instance], pending: pending[instance])
        return make(LeaveRules.decide(deviceKey, instance, by: owner, in: rows, at: now, under: policy))
    }

    package func reset(_ instance: InstanceID, _ source: ResetSource, at now: Instant) -> ResetOutcome {
        let rows = Situation(instance: instances[instance], resets: resets.filter { $0.instanceID == instance })
        return make(ResetRules.decide(source, in: rows, at: now, under: policy))
    }

    package func deleteExpired(at now: Instant) -> Int {
        let before = attempts.count + pending.count
        attempts = attempts.filter { now < $0.value.expiresAt }
        pending = pending.filter { now < $0.value.expiresAt }
        return before - attempts.count - pending.count
    }

    /// Values leave nothing behind.
    package func purge() {}

    private func make<Outcome>(_ decision: Ruling<Outcome>) -> Outcome {
        for change in decision.changes {
            switch change {
            case .saveInstance(let instance): instances[instance.id] = instance
            case .saveAttempt(let attempt): attempts[attempt.id] = attempt
            case .hold(let key): pending[key.instanceID] = key
            case .dropPending(let instance): pending[instance] = nil
            case .supersede(let attempt): attempts[attempt]?.state = .superseded
            case .forgetAttempts(let instance): attempts = attempts.filter { $0.value.instanceID != instance }
            case .log(let record): resets.append(record)
            }
        }
        return decision.outcome
    }
}
