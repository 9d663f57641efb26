import OstiaryProtocol

/// Grants and what was consented to, inside a transaction.
package protocol GrantRows: AnyObject {
    /// A grant that stands: it was not taken back, its account may log in, and its session goes on if it hangs on one. One statement, with the
    /// sessions and accounts joined in, so that what ended a moment ago is over here too.
    func standing(_ id: GrantID, at now: Instant) throws -> StandingGrant?
    /// As it was written, whether or not it stands.
    func grant(_ id: GrantID) throws -> Grant?
    func save(_ grant: Grant) throws
    func consent(of account: AccountID, to client: ClientID, for api: APIIdentifier?, server: ServerID) throws -> Consent?
    func save(_ consent: Consent, of server: ServerID) throws
}

extension GrantRows {
    /// Takes a grant back. Everything that was given on it is over with that.
    package func revoke(_ id: GrantID, at now: Instant) throws {
        guard var grant = try grant(id), grant.revokedAt == nil else { return }
        grant.revokedAt = now
        try save(grant)
    }
}
