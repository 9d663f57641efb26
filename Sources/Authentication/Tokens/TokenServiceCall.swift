import OstiaryProtocol

/// A question to a token service: who is logged in, since when and how strongly (docs/token-service.md). The webNonce is no part of it.
package struct TokenServiceCall: Equatable, Sendable {
    package let service: ServiceBehind
    /// The same for each try of one call of the app, and no other call's: H("call", sid || callId).
    package let id: [UInt8]
    package let session: SessionID
    package let account: AccountID
    package let userID: String?
    /// Names the app instance: the same for all accounts of one phone at this server.
    package let device: InstanceID?
    package let loggedInAt: Instant
    package let authentication: AuthenticationFacts

    init(_ service: ServiceBehind, _ call: CallID, of session: Session, _ login: Login, _ account: Account) {
        self.service = service
        id = H(.call, session.id.bytes + call.bytes)
        self.session = session.id
        self.account = account.id
        userID = account.userID
        device = account.instance
        loggedInAt = login.at
        authentication = AuthenticationFacts(of: login)
    }
}

/// The way to token services.
package protocol TokenServiceGateway: Sendable {
    /// Asks once, and comes back within the patience of the service.
    func ask(_ call: TokenServiceCall) async -> ServiceAnswer
}
