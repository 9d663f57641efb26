import OstiaryProtocol

/// What an operator wrote, inside a transaction.
package protocol ApplicationRows: AnyObject {
    func application(_ id: ClientID, of server: ServerID) throws -> Application?
    func save(_ application: Application) throws
    func api(_ identifier: APIIdentifier, of server: ServerID) throws -> ProtectedAPI?
    func save(_ api: ProtectedAPI) throws
    func role(_ name: String, of server: ServerID) throws -> Role?
    func save(_ role: Role) throws
    /// What the roles of the person behind an account permit at an API.
    func permissions(of account: AccountID, at api: APIIdentifier, server: ServerID) throws -> ScopeSet
}
