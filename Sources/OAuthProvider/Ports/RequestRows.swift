import OstiaryProtocol

/// Authorizations under way, inside a transaction.
package protocol RequestRows: AnyObject {
    func pushedRequest(hash: [UInt8], of server: ServerID) throws -> PushedRequest?
    func save(_ request: PushedRequest) throws
    func polled(hash: [UInt8], of server: ServerID) throws -> PolledAuthorization?
    /// The one whose user code this is, of those that wait.
    func polled(userCodeHash: [UInt8], of server: ServerID) throws -> PolledAuthorization?
    func save(_ authorization: PolledAuthorization) throws
    /// When clients asked for this account since a moment, and how often nobody answered.
    func backchannelRequests(for account: AccountID, since: Instant) throws -> [PolledAuthorization]
}
