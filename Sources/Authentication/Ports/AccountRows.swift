import OstiaryProtocol

/// Accounts and what belongs to them, inside a transaction.
package protocol AccountRows: AnyObject {
    func account(_ id: AccountID) throws -> Account?
    /// Accounts of a user, oldest first.
    func accounts(ofUser userID: String, at server: ServerID) throws -> [Account]
    func accounts(ofInstance instance: InstanceID) throws -> [Account]
    /// Adds the account or puts it in the place of its former self.
    func save(_ account: Account) throws
    /// Replaces the account by a mark that it was there; what belongs to it alone goes too.
    func markDeleted(_ account: AccountID, of server: ServerID, at now: Instant) throws
    func deletedAccount(_ id: AccountID) throws -> DeletedAccount?
    /// Whether a reference names an account, or is reserved since it named one.
    func isTaken(otpReference: UInt32, at server: ServerID) throws -> Bool
    /// Ends for good what clients were let do in the name of the account that hangs on no session; the rest ends with its sessions.
    func endLastingGrants(of account: AccountID, at now: Instant) throws

    func cache(of account: AccountID) throws -> FactorCache?
    /// An account has at most one: the newest.
    func save(_ cache: FactorCache) throws
    func removeCache(of account: AccountID) throws

    func add(_ notice: StoredNotice) throws
    /// Forgets all but the newest `count` of a subject.
    func keepNewestNotices(_ count: Int, of subject: DeviceNotice.Subject, for account: AccountID) throws
    /// What an account's person was not shown yet, of each subject the oldest first; at least as many as one answer tells.
    func notices(for account: AccountID) throws -> [DeviceNotice]
    /// The phone of this account said that these were shown. What is not there, or is another account's, changes nothing.
    func removeNotices(_ ids: [NoticeID], for account: AccountID) throws
}

extension AccountRows {
    /// Takes the notices away that a signed message acknowledges, and returns those that are still to be told (protocol §8).
    func notices(for account: AccountID, after shown: [NoticeID]) throws -> Extensions {
        if !shown.isEmpty { try removeNotices(shown, for: account) }
        return Extensions(notices: try notices(for: account))
    }

    /// The account, or why there is none.
    func living(_ id: AccountID, at server: ServerID) throws -> Account {
        if let account = try account(id), account.server == server { return account }
        if let deleted = try deletedAccount(id), deleted.server == server { throw Refusal.accountDeleted(id, since: deleted.since) }
        throw Refusal.accountUnknown
    }
}
