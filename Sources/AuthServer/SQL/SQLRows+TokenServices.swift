import Authentication
import Database
import OstiaryProtocol

/// The services behind virtual servers that give tokens.
extension SQLRows {
    private static let tokenServices = SQLTable("token_service", key: ["server"], columns: ["address", "secret", "patience"])

    func tokenService(of server: ServerID) throws -> TokenService? {
        try connection.one(Self.tokenServices.selection + "WHERE server = $1", [SQLValue(server)]).map { row in
            TokenService(
                server: server, address: try SQLRow.required(TokenServiceAddress(try row.text("address")), "address"),
                secret: secret(try row.blob("secret"), Self.tokenServiceSecret, server.bytes), patience: try row.number("patience"))
        }
    }

    func save(_ service: TokenService) throws {
        let secret = try wrapped(service.secret, Self.tokenServiceSecret, service.server.bytes)
        try Self.tokenServices.save(
            [SQLValue(service.server), .text(service.address.text), .blob(secret), SQLValue(number: service.patience)], on: connection)
    }

    func removeTokenService(of server: ServerID) throws {
        try connection.execute("DELETE FROM token_service WHERE server = $1", [SQLValue(server)])
    }

    /// The column for which the secret is wrapped.
    private static let tokenServiceSecret = "token-service/secret"
}
