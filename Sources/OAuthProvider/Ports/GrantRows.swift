import Authentication
import OstiaryProtocol

/// Grants and what was consented to, inside a transaction.
package protocol GrantRows: AnyObject {
    /// A grant that stands: it was not taken back, its account may log in, its session goes on if it hangs on one, and its API allows offline access
    /// if it hangs on none. One statement, with sessions, accounts and APIs joined in, so that what ended a moment ago is over here too.
    func standing(_ id: GrantID, at now: Instant) throws -> StandingGrant?
    /// As it was written, whether or not it stands.
    func grant(_ id: GrantID) throws -> Grant?
    func save(_ grant: Grant) throws
    func consent(of account: AccountID, to client: ClientID, for api: APIIdentifier?, server: ServerID) throws -> Consent?
    func save(_ consent: Consent, of server: ServerID) throws
    /// Takes back the least lately used of what this grant's client got with offline access on its account, beyond `kept` of them beside this one, and
    /// answers how many. What has no refresh tokens yet is not looked at. Of what was used in the same second the one goes that began first, and of the same
    /// second, too, the one with the greater id, byte by byte: drawn by chance, and the same each time that one looks.
    func endOverflow(beside grant: Grant, keeping kept: Int, at now: Instant) throws -> Int
    /// Forgets the oldest of what this grant's client got on its session for the same API, beyond `kept` of them beside this one. What was taken back is
    /// not looked at. Of those that began in the same second the one with the greater id goes, likewise.
    func removeOverflow(beside grant: Grant, keeping kept: Int) throws
}

extension OAuthRows {
    /// Writes a new grant, unless it was begun before: what has become of it since stays. From now on its account has the subject that it has now.
    func begin(_ grant: Grant) throws {
        guard try self.grant(grant.id) == nil else { return }
        try keepSubject(of: grant.holder.account, at: grant.server)
        try save(grant)
        guard case .session = grant.holder else { return }
        try removeOverflow(beside: grant, keeping: GrantLimit.most - 1)
    }

    /// A client got its refresh tokens. Only now, so that nobody loses theirs to authorizations that a site only sent their browser through.
    func makeRoom(for grant: Grant, at now: Instant) throws {
        guard try endOverflow(beside: grant, keeping: GrantLimit.most - 1, at: now) > 0 else { return }
        try record(AuditEntry(.grantsEndedByLimit, server: grant.server, account: grant.holder.account, by: .server, at: now))
    }

    /// Two have what only one may have: takes back what was given on it, and says so in the audit trail, once for each grant.
    func endForReuse(_ id: GrantID, at now: Instant) throws {
        guard let grant = try grant(id), grant.revokedAt == nil else { return }
        try revoke(id, at: now)
        try record(AuditEntry(.grantsEndedByReuse, server: grant.server, account: grant.holder.account, by: .server, at: now))
    }
}

extension GrantRows {
    /// Takes a grant back. Everything that was given on it is over with that.
    package func revoke(_ id: GrantID, at now: Instant) throws {
        guard var grant = try grant(id), grant.revokedAt == nil else { return }
        grant.revokedAt = now
        try save(grant)
    }
}
