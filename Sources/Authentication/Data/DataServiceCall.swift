import OstiaryProtocol

/// A question to a Data Service: which device asks, and what (docs/data-service.md). That a device asks is all that is known: nobody was asked for a second factor,
/// and a login that the account may have is no part of it.
package struct DataServiceCall: Equatable, Sendable {
    package let service: ServiceBehind
    /// The same for each try of one call with one content, and no other's: H("call", accountId || callId || SHA(payload)).
    package let id: [UInt8]
    package let account: AccountID
    package let userID: String?
    /// Names the app instance: the same for all accounts of one phone at this server. Nil for a headless account, which has none.
    package let device: InstanceID?
    package let payload: [UInt8]

    init(_ service: ServiceBehind, _ message: GetData, _ account: Account) {
        self.service = service
        id = H(.call, account.id.bytes + message.callID.bytes + SHA(message.payload))
        self.account = account.id
        userID = account.userID
        device = account.isHeadless ? nil : account.instance
        payload = message.payload
    }
}

/// The way to Data Services.
package protocol DataServiceGateway: Sendable {
    /// Asks once, and comes back within the patience of the service.
    func ask(_ call: DataServiceCall) async -> ServiceAnswer
}
