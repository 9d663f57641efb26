import OstiaryProtocol

/// What people let clients do, as an operator looks at it and ends it, inside a transaction. A grant is here while it may be good: it was not taken back,
/// its account is there, and its session goes on if it hangs on one.
package protocol GivenRows: AnyObject {
    /// The oldest first.
    func grants(_ selection: GivenSelection, at server: ServerID, _ part: ListPart, now: Instant) throws -> Listed<GivenGrant>
    func givenGrant(_ id: GrantID, at server: ServerID, now: Instant) throws -> GivenGrant?
    /// Takes them back, and answers the account of each. Their clients are to hear of it, as of the end of a session.
    func endGrants(_ selection: GivenSelection, at server: ServerID, now: Instant) throws -> [AccountID]
    func endGrant(_ id: GrantID, at server: ServerID, now: Instant) throws -> [AccountID]
    /// By account, client and API.
    func consents(_ selection: GivenSelection, at server: ServerID, _ part: ListPart) throws -> Listed<GivenConsent>
    /// Forgets them, and answers the account of each.
    func removeConsents(_ selection: GivenSelection, at server: ServerID) throws -> [AccountID]
}
