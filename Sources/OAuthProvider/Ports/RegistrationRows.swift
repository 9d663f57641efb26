import OstiaryProtocol

/// What lets clients register themselves, and which did, inside a transaction.
package protocol RegistrationRows: AnyObject {
    /// Nil where no operator said anything of it.
    func registrationPolicy(of server: ServerID) throws -> RegistrationPolicy?
    func save(_ policy: RegistrationPolicy) throws
    func initialToken(hash: [UInt8], of server: ServerID) throws -> InitialAccessToken?
    func save(_ token: InitialAccessToken) throws
    /// How many tokens can still be used.
    func initialTokenCount(of server: ServerID, at now: Instant) throws -> Int
    func removeInitialTokens(of server: ServerID) throws
    /// Notes that an application registered itself.
    func noteRegistered(_ client: ClientID, of server: ServerID, at now: Instant) throws
    /// Forgets that it did: it is the operator's from now on.
    func adopt(_ client: ClientID, of server: ServerID) throws
    func isRegistered(_ client: ClientID, of server: ServerID) throws -> Bool
    func registeredCount(of server: ServerID) throws -> Int
}
