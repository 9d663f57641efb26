import OstiaryProtocol

/// The virtual servers, inside a transaction.
package protocol ServerRows: AnyObject {
    /// All of them, oldest first.
    func servers() throws -> [VirtualServer]
    func server(_ id: ServerID) throws -> VirtualServer?
    /// Adds the server or puts it in the place of its former self.
    func save(_ server: VirtualServer) throws
    /// How many accounts the server has, and the newest login of any.
    func activity(of server: ServerID) throws -> ServerActivity
    /// The logo with that hash, whichever server or session it belongs to.
    func logo(hash: [UInt8]) throws -> ServerLogo?
}

package struct ServerActivity: Equatable, Sendable {
    package let accountCount: Int
    package let lastLogin: Instant?

    package init(accountCount: Int, lastLogin: Instant?) {
        self.accountCount = accountCount
        self.lastLogin = lastLogin
    }
}

extension ServerRows {
    func existing(_ id: ServerID) throws -> VirtualServer {
        guard let server = try server(id) else { throw UnknownServer() }
        return server
    }
}
