import Authentication
import OstiaryProtocol

/// What people let clients do: an operator looks at it, and ends it.
extension RegistryService {
    package func grants(_ selection: GivenSelection, at server: ServerID, _ part: ListPart, now: Instant) async throws -> Listed<GivenGrant> {
        try await store.read { rows in try rows.grants(selection, at: server, part, now: now) }
    }

    /// - Throws: `UnknownGrant`.
    package func grant(_ id: GrantID, at server: ServerID, now: Instant) async throws -> GivenGrant {
        guard let grant = try await store.read({ rows in try rows.givenGrant(id, at: server, now: now) }) else { throw UnknownGrant() }
        return grant
    }

    package func consents(_ selection: GivenSelection, at server: ServerID, _ part: ListPart) async throws -> Listed<GivenConsent> {
        try await store.read { rows in try rows.consents(selection, at: server, part) }
    }

    /// Ends one for good. Whoever asks about a token of it hears that from now on.
    /// - Throws: `UnknownGrant`, also when it was ended before.
    package func endGrant(_ id: GrantID, at server: ServerID, by actor: AuditActor, now: Instant) async throws {
        try await store.write { rows, former -> Bool in
            let accounts = try rows.endGrant(id, at: server, now: now)
            // Ended by the first look.
            guard !accounts.isEmpty || former == true else { throw UnknownGrant() }
            try rows.record(.grantsEnded, of: accounts, at: server, by: actor, now: now)
            return true
        }
    }

    /// Ends all of them for good, and what was said yes to on a phone and is not fetched yet. Consents stay: the same client may get the same again without a
    /// question.
    /// - Returns: how many there were.
    package func endGrants(_ selection: GivenSelection, at server: ServerID, by actor: AuditActor, now: Instant) async throws -> Int {
        try await store.write { rows, former -> Int in
            let accounts = try rows.endGrants(selection, at: server, now: now) + rows.endUnfetched(selection, at: server, now: now)
            try rows.record(.grantsEnded, of: selection.names(accounts), at: server, by: actor, now: now)
            return accounts.isEmpty ? former ?? 0 : accounts.count
        }
    }

    /// Forgets what people agreed to, and ends what was given on it, as `endGrants` does: they are asked again.
    package func withdrawConsents(
        _ selection: GivenSelection, at server: ServerID, by actor: AuditActor, now: Instant
    ) async throws -> WithdrawnConsents {
        try await store.write { rows, former -> WithdrawnConsents in
            let consents = try rows.removeConsents(selection, at: server)
            let grants = try rows.endGrants(selection, at: server, now: now) + rows.endUnfetched(selection, at: server, now: now)
            try rows.record(.consentsWithdrawn, of: selection.names(consents), at: server, by: actor, now: now)
            try rows.record(.grantsEnded, of: selection.names(grants), at: server, by: actor, now: now)
            let withdrawn = WithdrawnConsents(consents: consents.count, grants: grants.count)
            return withdrawn == .none ? former ?? .none : withdrawn
        }
    }
}

/// How much was withdrawn.
package struct WithdrawnConsents: Equatable, Sendable {
    static let none = WithdrawnConsents(consents: 0, grants: 0)

    package let consents: Int
    /// Grants that ended with them.
    package let grants: Int
}

/// There is no such grant, or it is over.
package struct UnknownGrant: Error, Equatable, Sendable {
    package init() {}
}

extension GivenSelection {
    /// Whom the audit trail names: the accounts, or nobody where it was everybody of a client.
    fileprivate func names(_ accounts: [AccountID]) -> [AccountID?] {
        if case .toClient = self { return accounts.isEmpty ? [] : [nil] }
        return accounts
    }
}

extension RegistryRows {
    /// One entry for each account, in an order that does not depend on the rows'.
    fileprivate func record(
        _ kind: AuditEntry.Kind, of accounts: [AccountID?], at server: ServerID, by actor: AuditActor, now: Instant
    ) throws {
        for account in Set(accounts).sorted(by: { ($0?.text ?? "") < ($1?.text ?? "") }) {
            try record(AuditEntry(kind, server: server, account: account, by: actor, at: now))
        }
    }
}
