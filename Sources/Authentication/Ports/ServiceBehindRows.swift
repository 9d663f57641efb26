import OstiaryProtocol

/// The services behind virtual servers, inside a transaction.
package protocol ServiceBehindRows: AnyObject {
    func service(_ kind: ServiceKind, of server: ServerID) throws -> ServiceBehind?
    /// Adds the service of its virtual server or puts it in the place of the former one of its kind.
    func save(_ service: ServiceBehind) throws
    func removeService(_ kind: ServiceKind, of server: ServerID) throws
}
