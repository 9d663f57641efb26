import OstiaryProtocol

/// What an operator wrote, inside a transaction.
package protocol ApplicationRows: AnyObject {
    func application(_ id: ClientID, of server: ServerID) throws -> Application?
    func save(_ application: Application) throws
    func api(_ identifier: APIIdentifier, of server: ServerID) throws -> ProtectedAPI?
    func save(_ api: ProtectedAPI) throws
    func role(_ name: String, of server: ServerID) throws -> Role?
    func save(_ role: Role) throws
    func user(_ userID: String, of server: ServerID) throws -> ProviderUser?
    func save(_ user: ProviderUser) throws
    /// What the roles of the person behind an account permit at an API.
    func permissions(of account: AccountID, at api: APIIdentifier, server: ServerID) throws -> ScopeSet
}

extension ApplicationRows {
    /// An API that a token of this client may be for; nil when there is none of that name, or the client may not ask it for anything. That it may ask
    /// who somebody is makes no API one of its own.
    func api(_ identifier: APIIdentifier, for application: Application) throws -> ProtectedAPI? {
        guard application.apis[identifier] != nil else { return nil }
        return try api(identifier, of: application.server)
    }
}
