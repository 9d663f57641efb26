import Database
import OstiaryProtocol
import SecondFactor

/// The store in SQL: every question is one transaction that reads the rows, asks the rule, and makes its changes. When nobody knows whether those were
/// kept, it is asked again: a rule finds the attempt that it counted, the proof that it took, and a key that is gone.
///
/// Hardly any cryptography runs in a transaction, so many callers share one commit.
package struct SQLSecondFactorStore: SecondFactorStore {
    private let database: any Database
    private let policy: Policy

    package init(database: any Database, policy: Policy) {
        self.database = database
        self.policy = policy
    }

    package func situation(of instance: InstanceID, attempt: AttemptID, voucher: AttemptID?) async throws -> Situation {
        try await database.read { try SecondFactorRows($0).situation(of: instance, attempt: attempt, voucher: voucher) }
    }

    package func reserve(_ ticket: ProvenTicket, at now: Instant) async throws -> TicketOutcome {
        let policy = policy
        return try await decide { rows in
            let situation = try rows.situation(
                of: ticket.attempt.instanceID, attempt: ticket.attempt.attemptID, voucher: ticket.checked.purpose.voucher)
            return TicketRules.decide(ticket, in: situation, at: now, under: policy)
        }
    }

    package func keep(evaluation: [UInt8], of attempt: AttemptID) async throws {
        try await database.transaction { connection, _ in try SecondFactorRows(connection).keep(evaluation: evaluation, of: attempt) }
    }

    package func complete(_ proof: ProvenProof, at now: Instant, signing: @escaping SignReceipt) async throws -> ProofOutcome {
        let policy = policy
        return try await decide { rows in
            let situation = try rows.situation(of: proof.checked.proof.instanceID, attempt: proof.checked.proof.attemptID)
            return ProofRules.decide(proof, in: situation, at: now, under: policy, signing: signing)
        }
    }

    package func complete(_ proof: ProvenBiometric, at now: Instant, signing: @escaping SignReceipt) async throws -> ProofOutcome {
        let policy = policy
        return try await decide { rows in
            let situation = try rows.situation(of: proof.attempt.instanceID, attempt: proof.attempt.attemptID)
            return BiometricRules.decide(proof, in: situation, at: now, under: policy, signing: signing)
        }
    }

    package func close(_ instance: InstanceID, by owner: VirtualServer, at now: Instant) async throws -> CloseOutcome {
        let policy = policy
        return try await decide { rows in
            let situation = Situation(instance: try rows.instance(instance), pending: try rows.pendingKey(instance))
            return CloseRules.decide(instance, by: owner, in: situation, at: now, under: policy)
        }
    }

    package func leave(_ deviceKey: [UInt8], _ instance: InstanceID, by owner: VirtualServer, at now: Instant) async throws -> LeaveOutcome {
        let policy = policy
        return try await decide { rows in
            let situation = Situation(instance: try rows.instance(instance), pending: try rows.pendingKey(instance))
            return LeaveRules.decide(deviceKey, instance, by: owner, in: situation, at: now, under: policy)
        }
    }

    package func reset(_ instance: InstanceID, _ source: ResetSource, at now: Instant) async throws -> ResetOutcome {
        let policy = policy
        return try await decide { rows, former in
            let resets = try rows.resets(of: instance, since: now - Times.resetSpan)
            // Written down by the first look.
            if let former, case .granted = former, resets.contains(where: { $0.grantedAt == now && $0.messageTime == source.messageTime }) {
                return Ruling(former)
            }
            let ruling = ResetRules.decide(source, in: Situation(instance: try rows.instance(instance), resets: resets), at: now, under: policy)
            if let former, case .repeated = ruling.outcome { return Ruling(former) }
            return ruling
        }
    }

    @discardableResult
    package func deleteExpired(at now: Instant) async throws -> Int {
        try await database.transaction { connection, former in
            let deleted = try SecondFactorRows(connection).deleteExpired(at: now)
            return deleted == 0 ? former ?? 0 : deleted
        }
    }

    package func purge() async throws { try await database.purge() }

    /// Throws when the database does not answer.
    func checkReadable() async throws {
        _ = try await database.read { try $0.one("SELECT 1 AS one") }
    }

    private func decide<Outcome: Sendable>(
        _ rule: @Sendable @escaping (SecondFactorRows) throws -> Ruling<Outcome>
    ) async throws -> Outcome {
        try await decide { rows, _ in try rule(rows) }
    }

    private func decide<Outcome: Sendable>(
        _ rule: @Sendable @escaping (SecondFactorRows, _ former: Outcome?) throws -> Ruling<Outcome>
    ) async throws -> Outcome {
        try await database.transaction { connection, former in
            let rows = SecondFactorRows(connection)
            let decision = try rule(rows, former)
            for change in decision.changes { try rows.make(change) }
            return decision.outcome
        }
    }
}
