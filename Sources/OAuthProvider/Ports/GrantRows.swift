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
}

extension OAuthRows {
    /// Writes a new grant. From now on its account has the subject that it has now.
    func begin(_ grant: Grant) throws {
        try keepSubject(of: grant.holder.account, at: grant.server)
        try save(grant)
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
