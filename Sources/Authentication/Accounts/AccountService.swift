import OstiaryProtocol

/// What is done to accounts: by their user on the phone, and by an operator.
package struct AccountService: Sendable {
    private let store: any AuthenticationStore
    private let events: any SessionEvents
    private let secondFactor: SecondFactorClient
    private let witness: any ClockWitness

    /// - Parameter witness: knows whether it is by the clock that a login has ended which ends with its account.
    package init(
        store: any AuthenticationStore, events: any SessionEvents, secondFactor: SecondFactorClient, witness: any ClockWitness = NoWitness()
    ) {
        self.store = store
        self.events = events
        self.secondFactor = secondFactor
        self.witness = witness
    }

    /// - Throws: `AccountError.unknown`.
    package func account(_ id: AccountID, at server: ServerID) async throws -> Account {
        try await store.read { rows in
            guard let account = try rows.account(id), account.server == server else { throw AccountError.unknown }
            return account
        }
    }

    /// The accounts of a user, oldest first.
    /// - Throws: `AccountError.userUnknown` when there are none.
    package func accounts(ofUser userID: String, at server: ServerID) async throws -> [Account] {
        let accounts = try await store.read { rows in try rows.accounts(ofUser: userID, at: server) }
        guard !accounts.isEmpty else { throw AccountError.userUnknown }
        return accounts
    }

    /// Blocks an account or lets it in again. Blocking ends its sessions before this returns, and for good what clients were let do in its name, each time
    /// that it is said: who says it of an account that is blocked already wants nobody logged in by it either.
    package func setBlocked(
        _ isBlocked: Bool, _ id: AccountID, at server: ServerID, by actor: AuditActor, now: Instant
    ) async throws -> Account {
        let stop = SessionStop(reason: .account, actor: actor, isClockDoubted: witness.doubts(now))
        let (account, stopped) = try await store.write { rows, former -> (Account, [Session]) in
            guard var account = try rows.account(id), account.server == server else { throw AccountError.unknown }
            if account.isBlocked != isBlocked {
                account.isBlocked = isBlocked
                try rows.save(account)
                try rows.record(AuditEntry(isBlocked ? .accountBlocked : .accountUnblocked, server: server, account: id, by: actor, at: now))
            }
            guard isBlocked else { return (account, []) }
            try rows.removeCache(of: id)
            try rows.endLastingGrants(of: id, at: now)
            let stopped = try stop.apply(to: try rows.unfinishedSessions(of: id), in: rows, at: now)
            // A second look finds none where the first was kept.
            return (account, stopped.isEmpty ? former?.1 ?? [] : stopped)
        }
        tell(stopped, account: id)
        return account
    }

    /// Deletes an account by order of the server: sessions end, the phone is told by a tombstone when it next asks.
    /// - Throws: `AccountError.unknown`.
    package func delete(_ id: AccountID, at server: ServerID, by actor: AuditActor, now: Instant) async throws {
        let removal = AccountRemoval(account: id, server: server, actor: actor, isClockDoubted: witness.doubts(now))
        let stopped = try await store.write { rows, former -> [Session] in
            guard try rows.account(id)?.server == server else {
                if let former, try rows.deletedAccount(id)?.server == server { return former }
                throw AccountError.unknown
            }
            try rows.record(AuditEntry(.accountDeleted, server: server, account: id, by: actor, at: now))
            return try removal.apply(in: rows, at: now)
        }
        tell(stopped, account: id)
    }

    /// Delete: the person removed the account on the phone, some time ago perhaps. Repeating it changes nothing (protocol §13).
    package func delete(_ request: PhoneRequest) async throws -> Reply {
        let message = try decoded(Delete.self, from: request)
        let id = message.value.accountID
        try await request.verifyAhead(message, in: store) { rows in try rows.account(id)?.deviceKey }
        let removal = AccountRemoval(account: id, server: request.server, actor: .phone, isClockDoubted: witness.doubts(request.now))
        let stopped = try await store.write { rows, former -> [Session] in
            guard try rows.deletedAccount(id)?.server != request.server else { return former ?? [] }
            let account = try rows.living(id, at: request.server)
            try request.verify(message, by: account.deviceKey)
            try request.spend(in: rows, again: former != nil)
            try rows.record(AuditEntry(.accountDeletedByUser, server: request.server, account: id, by: .phone, at: request.now))
            return try removal.apply(in: rows, at: request.now)
        }
        tell(stopped, account: id)
        return Reply()
    }

    /// Lifts the block of a person who lost all tries. How often that may be is the second-factor server's policy; both sides write it down.
    /// - Throws: `AccountError`.
    package func resetSecondFactor(of id: AccountID, at server: ServerID, by actor: AuditActor, now: Instant) async throws {
        let account = try await account(id, at: server)
        guard !account.isHeadless, let instance = account.instance else { throw AccountError.headless }
        try await record(AuditEntry(.secondFactorResetAsked, server: server, account: id, by: actor, at: now))
        let status: Status
        do { status = try await secondFactor.reset(instance, at: server, now: now) } catch Refusal.secondFactorUnavailable {
            throw AccountError.secondFactorUnavailable
        }
        guard status == .ok else { throw AccountError.resetRefused(status) }
        try await record(AuditEntry(.secondFactorReset, server: server, account: id, by: actor, at: now))
    }

    /// Writes one entry down, once.
    private func record(_ entry: AuditEntry) async throws {
        try await store.write { rows, former -> Void in
            if former != nil, try rows.auditEntries(of: entry.server, limit: 32).contains(entry) { return }
            try rows.record(entry)
        }
    }

    private func tell(_ stopped: [Session], account: AccountID) {
        for session in stopped { events.publish(.ended(session)) }
        events.publish(.accountChanged(account))
    }
}
