import OstiaryProtocol

/// What tickets do to the rows, by ``TicketRules``.
package struct TicketService: Sendable {
    private let store: any SecondFactorStore
    private let policy: Policy

    package init(store: any SecondFactorStore, policy: Policy) {
        self.store = store
        self.policy = policy
    }

    /// Counts a try durably, or says why not. Nothing may be evaluated before this has answered.
    /// - Parameter seconds: for which the clock has gone on without a leap.
    package func reserve(_ ticket: ProvenTicket, at now: Instant, steadyFor seconds: UInt64 = 0) async throws -> TicketOutcome {
        let (policy, attempt) = (policy, ticket.attempt)
        return try await store.write { rows in
            let situation = try rows.situation(
                of: attempt.instanceID, attempt: attempt.attemptID, voucher: ticket.checked.purpose.voucher, steadyFor: seconds)
            return try rows.apply(TicketRules.decide(ticket, in: situation, at: now, under: policy))
        }
    }
}
