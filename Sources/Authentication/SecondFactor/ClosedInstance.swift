import OstiaryProtocol

/// CLOSED is what a second-factor server says of an instance that this side has closed before and forgotten in a restore: it is closed again
/// (protocol §13).
struct ClosedInstance: Sendable {
    let store: any AuthenticationStore
    let events: any SessionEvents

    /// Removes the accounts of the instance, and answers what the phone of one of them is told.
    func remove(_ instance: InstanceID, tellingPhoneOf account: AccountID, at now: Instant) async throws -> Refusal {
        let stopped = try await store.write { rows, former -> [Session] in
            let accounts = try rows.accounts(ofInstance: instance)
            if let former, accounts.isEmpty { return former }
            return try accounts.flatMap { account in
                try rows.record(AuditEntry(.accountClosedBySecondFactor, server: account.server, account: account.id, at: now))
                return try AccountRemoval(account: account.id, server: account.server).apply(in: rows, at: now)
            }
        }
        for session in stopped { events.publish(.ended(session)) }
        return .accountDeleted(account, since: now)
    }

    /// The receipt for a proof of one of the accounts.
    /// - Throws: `Refusal`.
    func receipt(
        for proof: SecondFactorProof, of account: AccountID, from secondFactor: SecondFactorClient, now: Instant
    ) async throws -> ProvedFactor {
        do { return try await secondFactor.receipt(for: proof, now: now) } catch Refusal.secondFactor(.closed) {
            throw try await remove(proof.instance, tellingPhoneOf: account, at: now)
        }
    }
}
