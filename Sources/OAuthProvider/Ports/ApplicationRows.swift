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
    /// The names of the roles that the person behind an account has.
    func roles(of account: AccountID, at server: ServerID) throws -> Set<String>
}

extension ApplicationRows {
    /// What the roles of the person behind an account permit at an API.
    package func permissions(of account: AccountID, at api: APIIdentifier, server: ServerID) throws -> ScopeSet {
        try roles(of: account, at: server).sorted().reduce([]) { $0.union(try role($1, of: server)?.permissions[api] ?? []) }
    }

    /// An API that a token of this client may be for; nil when there is none of that name, or the client may not ask it for anything. That it may ask
    /// who somebody is makes no API one of its own.
    func api(_ identifier: APIIdentifier, for application: Application) throws -> ProtectedAPI? {
        guard application.apis[identifier] != nil else { return nil }
        return try api(identifier, of: application.server)
    }
}
