import OstiaryProtocol

/// CLOSED is what a second-factor server says of an instance that this side has closed before and forgotten in a restore: it is closed again
/// (protocol §13).
struct InstanceClosure: Sendable {
    let store: any AuthenticationStore
    let events: any SessionEvents

    /// Removes the accounts of the instance, and answers what the phone of one of them is told.
    func end(_ instance: InstanceID, tellingPhoneOf account: AccountID, at now: Instant) async throws -> Refusal {
        let stopped = try await store.write { rows, former -> [Session] in
            let accounts = try rows.accounts(ofInstance: instance)
            if let former, accounts.isEmpty { return former }
            return try accounts.flatMap { account -> [Session] in
                // Its second factor is gone before it counted.
                guard account.state != .upgrading else {
                    try rows.record(AuditEntry(.enrolmentFailed, server: account.server, account: account.id, by: .secondFactor, at: now))
                    try account.withoutNewFactor(in: rows, at: now)
                    return []
                }
                try rows.record(
                    AuditEntry(.accountClosedBySecondFactor, server: account.server, account: account.id, by: .secondFactor, at: now))
                return try AccountRemoval(account: account.id, server: account.server, actor: .secondFactor).apply(in: rows, at: now)
            }
        }
        for session in stopped { events.publish(.ended(session)) }
        // A headless account that was to have this second factor stays.
        guard try await store.read({ rows in try rows.account(account) }) == nil else { return .secondFactor(.secondFactorUnknown) }
        return .accountDeleted(account, since: now)
    }
}
