import OstiaryProtocol

/// The token services of virtual servers, inside a transaction.
package protocol TokenServiceRows: AnyObject {
    func tokenService(of server: ServerID) throws -> TokenService?
    /// Adds the service of its virtual server or puts it in the place of the former one.
    func save(_ service: TokenService) throws
    func removeTokenService(of server: ServerID) throws
}
