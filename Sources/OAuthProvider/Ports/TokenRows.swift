import OstiaryProtocol

/// What was given on grants, inside a transaction.
package protocol TokenRows: AnyObject {
    func code(hash: [UInt8], of server: ServerID) throws -> AuthorizationCode?
    func save(_ code: AuthorizationCode) throws
    func family(of grant: GrantID) throws -> RefreshFamily?
    func save(_ family: RefreshFamily) throws
    func opaqueToken(hash: [UInt8], of server: ServerID) throws -> OpaqueToken?
    func save(_ token: OpaqueToken, of server: ServerID) throws
    /// Whether the access token with this `jti` was revoked by itself.
    func isRevoked(tokenID: String, of server: ServerID) throws -> Bool
    /// Remembers that until the token would be over.
    func revoke(tokenID: String, of server: ServerID, until: Instant) throws
}
