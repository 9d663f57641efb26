import Authentication
import Database
import OstiaryProtocol

/// The services behind virtual servers: a table for each kind.
extension SQLRows {
    func service(_ kind: ServiceKind, of server: ServerID) throws -> ServiceBehind? {
        try connection.one(kind.table.selection + "WHERE server = $1", [SQLValue(server)]).map { row in
            ServiceBehind(
                kind, server: server, address: try SQLRow.required(ServiceAddress(try row.text("address")), "address"),
                secret: secret(try row.blob("secret"), kind.secretColumn, server.bytes), patience: try row.number("patience"))
        }
    }

    func save(_ service: ServiceBehind) throws {
        let secret = try wrapped(service.secret, service.kind.secretColumn, service.server.bytes)
        try service.kind.table.save(
            [SQLValue(service.server), .text(service.address.text), .blob(secret), SQLValue(number: service.patience)], on: connection)
    }

    func removeService(_ kind: ServiceKind, of server: ServerID) throws {
        try connection.write(kind.removal, [SQLValue(server)])
    }
}

extension ServiceKind {
    private static let tokens = SQLTable("token_service", key: ["server"], columns: ["address", "secret", "patience"])
    private static let data = SQLTable("data_service", key: ["server"], columns: ["address", "secret", "patience"])

    fileprivate var table: SQLTable { self == .token ? Self.tokens : Self.data }

    fileprivate var removal: String {
        self == .token ? "DELETE FROM token_service WHERE server = $1" : "DELETE FROM data_service WHERE server = $1"
    }

    /// The column for which the secret is wrapped.
    fileprivate var secretColumn: String { self == .token ? "token-service/secret" : "data-service/secret" }
}
