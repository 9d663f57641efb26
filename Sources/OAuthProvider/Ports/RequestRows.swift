import OstiaryProtocol

/// Authorizations under way, inside a transaction.
package protocol RequestRows: AnyObject {
    func pushedRequest(hash: [UInt8], of server: ServerID) throws -> PushedRequest?
    func save(_ request: PushedRequest) throws
    func polled(hash: [UInt8], of server: ServerID) throws -> PolledAuthorization?
    /// The one whose user code this is, of those that nobody has decided; it may be over.
    func polled(userCodeHash: [UInt8], of server: ServerID) throws -> PolledAuthorization?
    func save(_ authorization: PolledAuthorization) throws
    /// Those that wait although their phone has decided, whose client is told by ping; at most `limit`. Not those whose yes came too late to be written
    /// down: nobody would, so that they would be looked at again and keep others from it.
    func decidedOnPhones(at now: Instant, limit: Int) throws -> [PolledAuthorization]
    /// What a client asks of people on their phones that is not written down as decided, and waited at that moment or later.
    func openQuestions(of client: ClientID, at server: ServerID, since: Instant) throws -> [PolledAuthorization]
    /// What phones are asked by all clients, or were, whatever its login has come to, that is not written down as decided, and waited at that moment or later:
    /// questions to a person, and codes of devices that a phone has brought.
    func askedOnPhones(at server: ServerID, since: Instant) throws -> [PolledAuthorization]
    /// What a client asked of this account since a moment, whatever came of it, the oldest first.
    func backchannelRequests(of client: ClientID, for account: AccountID, since: Instant) throws -> [PolledAuthorization]
}
