import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// A private key of a virtual server as it is kept.
struct KeyRow: Equatable, Sendable {
    struct ID: Hashable, Sendable {
        let server: ServerID
        let kind: String
        let id: [UInt8]
    }

    let key: ID
    /// The secret, wrapped for this row.
    let wrapped: [UInt8]
    let certificate: [UInt8]?
    let notBefore: Instant
    let notAfter: Instant
}

/// A prekey as it is kept.
struct PrekeyRow: Equatable, Sendable {
    let id: UInt32
    let server: ServerID
    /// The secret, wrapped for this row.
    let wrapped: [UInt8]
    var publishedUntil: Instant
    var erasedAt: Instant
}

/// The rows of private keys, inside a transaction.
final class SQLKeyRows {
    private let connection: any SQLConnection
    private lazy var knownKeys = KnownRows<KeyRow.ID, KeyRow>()
    private lazy var knownPrekeys = KnownRows<UInt32, PrekeyRow>()

    init(_ connection: any SQLConnection) { self.connection = connection }

    private static let keys = SQLTable(
        "server_key", key: ["server", "kind", "id"], columns: ["secret", "certificate", "not_before", "not_after"])
    private static let prekeys = SQLTable("prekey", key: ["id"], columns: ["server", "secret", "published_until", "erased_at"])

    /// All keys of a server, the root's among them.
    func keys(of server: ServerID) throws -> [KeyRow] {
        try connection.query(Self.keys.selection + "WHERE server = $1", [SQLValue(server)]).map { row in
            let key = KeyRow(
                key: KeyRow.ID(server: server, kind: try row.text("kind"), id: try row.blob("id")), wrapped: try row.blob("secret"),
                certificate: try row.optionalBlob("certificate"), notBefore: try row.instant("not_before"), notAfter: try row.instant("not_after"))
            knownKeys.note(key, as: key.key)
            return key
        }
    }

    /// Of which kinds a server has keys. What they are is not read.
    func kinds(of server: ServerID) throws -> Set<String> {
        Set(try connection.query("SELECT DISTINCT kind FROM server_key WHERE server = $1", [SQLValue(server)]).map { try $0.text("kind") })
    }

    /// The public half of a server's root; nil where there is no such server.
    func publicKey(of server: ServerID) throws -> [UInt8]? {
        try connection.one("SELECT public_key FROM server WHERE id = $1", [SQLValue(server)])?.blob("public_key")
    }

    /// By which algorithms the APIs and applications of a server want tokens signed; empty while it has neither.
    func tokenAlgorithms(of server: ServerID) throws -> Set<SignatureAlgorithm> {
        // Where clients may register there is something to register with, before anybody did.
        let sql = """
            SELECT algorithm FROM oauth_api WHERE server = $1 UNION SELECT id_token_algorithm FROM oauth_client WHERE server = $1
            UNION SELECT '\(SignatureAlgorithm.es256.rawValue)' FROM oauth_registration
            WHERE server = $1 AND mode <> '\(RegistrationPolicy.Mode.closed.rawValue)'
            """
        return Set(try connection.query(sql, [SQLValue(server)]).map { try $0.word("algorithm") })
    }

    func prekeys(of server: ServerID) throws -> [PrekeyRow] { try prekeys("WHERE server = $1", [SQLValue(server)]) }

    func prekey(_ id: UInt32) throws -> PrekeyRow? {
        try knownPrekeys.row(id) { try prekeys("WHERE id = $1", [SQLValue(number: id)]).first }
    }

    private func prekeys(_ condition: String, _ arguments: [SQLValue]) throws -> [PrekeyRow] {
        try connection.query(Self.prekeys.selection + condition, arguments).map { row in
            let prekey = PrekeyRow(
                id: try row.number("id"), server: try row.identifier("server"), wrapped: try row.blob("secret"),
                publishedUntil: try row.instant("published_until"), erasedAt: try row.instant("erased_at"))
            knownPrekeys.note(prekey, as: prekey.id)
            return prekey
        }
    }

    func save(_ key: KeyRow) throws { try knownKeys.save(key, as: key.key, values: Self.values, by: Self.keys.saver(on: connection)) }
    func save(_ prekey: PrekeyRow) throws {
        try knownPrekeys.save(prekey, as: prekey.id, values: Self.values, by: Self.prekeys.saver(on: connection))
    }

    private static func values(of row: KeyRow) -> [SQLValue] {
        [
            SQLValue(row.key.server), .text(row.key.kind), .blob(row.key.id), .blob(row.wrapped), SQLValue(row.certificate),
            SQLValue(row.notBefore), SQLValue(row.notAfter),
        ]
    }

    private static func values(of row: PrekeyRow) -> [SQLValue] {
        [SQLValue(number: row.id), SQLValue(row.server), .blob(row.wrapped), SQLValue(row.publishedUntil), SQLValue(row.erasedAt)]
    }

    func remove(_ key: KeyRow.ID) throws {
        try connection.write(
            "DELETE FROM server_key WHERE server = $1 AND kind = $2 AND id = $3", [SQLValue(key.server), .text(key.kind), .blob(key.id)])
        knownKeys.note(nil, as: key)
    }

    func remove(prekey id: UInt32) throws {
        try connection.write("DELETE FROM prekey WHERE id = $1", [SQLValue(number: id)])
        knownPrekeys.note(nil, as: id)
    }
}
