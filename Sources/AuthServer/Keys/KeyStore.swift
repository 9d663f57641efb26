import Authentication
import Database
import OstiaryProtocol

/// Private keys in the database, wrapped; the root may be wrapped under a key of its own that is kept elsewhere.
struct KeyStore: Sendable {
    let database: any Database
    let key: KeyEncryptionKey
    /// Wraps the root keys.
    let rootKey: KeyEncryptionKey

    enum Kind: String {
        case root, op, sid
    }

    func insert(_ kind: Kind, id: [UInt8], secret: [UInt8], of server: ServerID, from: Instant, until: Instant, certificate: [UInt8]? = nil) throws
        -> SQLStep
    {
        let wrapped = try (kind == .root ? rootKey : key).wrap(secret, context: Self.context(kind.rawValue, server, id))
        return SQLStep(
            sql: """
                INSERT INTO server_key (server, kind, id, secret, certificate, not_before, not_after) VALUES ($1, $2, $3, $4, $5, $6, $7)
                """,
            arguments: [
                SQLValue(server), .text(kind.rawValue), .blob(id), .blob(wrapped), SQLValue(certificate), SQLValue(from), SQLValue(until),
            ])
    }

    func insert(prekey id: UInt32, secret: [UInt8], of server: ServerID, publishedUntil: Instant, erasedAt: Instant) throws -> SQLStep {
        let wrapped = try key.wrap(secret, context: Self.context("prekey", server, Self.bytes(of: id)))
        return SQLStep(
            sql: "INSERT INTO prekey (id, server, secret, published_until, erased_at) VALUES ($1, $2, $3, $4, $5)",
            arguments: [SQLValue(number: id), SQLValue(server), .blob(wrapped), SQLValue(publishedUntil), SQLValue(erasedAt)])
    }

    /// Erases the prekeys whose time is over, and operational keys that ended.
    func eraseExpired(at now: Instant) async throws {
        try await database.transaction { connection, _ in
            try connection.execute("DELETE FROM prekey WHERE erased_at < $1", [SQLValue(now)])
            try connection.execute("DELETE FROM server_key WHERE kind = 'op' AND not_after < $1", [SQLValue(now)])
        }
    }

    /// No prekey lives longer than one that is made now: one of a clock that ran ahead is erased with those of the present.
    func cutPrekeys(publishedUntil: Instant, openedUntil: Instant) async throws {
        let ahead = try await database.read { connection in
            try connection.one(
                "SELECT id FROM prekey WHERE published_until > $1 OR erased_at > $2 LIMIT 1", [SQLValue(publishedUntil), SQLValue(openedUntil)])
        }
        guard ahead != nil else { return }
        try await database.transaction { connection, _ in
            try connection.execute("UPDATE prekey SET published_until = $1 WHERE published_until > $1", [SQLValue(publishedUntil)])
            try connection.execute("UPDATE prekey SET erased_at = $1 WHERE erased_at > $1", [SQLValue(openedUntil)])
        }
    }

    /// Adds the server together with its keys, unless another node was faster.
    /// - Returns: what the audit trail says of it.
    func create(_ server: VirtualServer, at now: Instant, with steps: [SQLStep]) async throws -> [AuditEntry] {
        let key = key
        return try await database.transaction { connection, former in
            let rows = SQLRows(connection, key: key)
            if let former, try rows.server(server.id) != nil { return former }
            guard try rows.servers().isEmpty else { return [] }
            let entry = AuditEntry(.serverCreated, server: server.id, at: now)
            try rows.save(server)
            try rows.record(entry)
            for step in steps { try connection.execute(step.sql, step.arguments) }
            return [entry]
        }
    }

    /// Adds keys. Each is its own, under a name that no other has.
    func perform(_ steps: [SQLStep]) async throws {
        let add = { @Sendable (connection: any SQLConnection) in
            for step in steps { try connection.execute(step.sql, step.arguments) }
        }
        do { try await database.transaction(add) } catch SQLError.outcomeUnknown {
            // Found there, they were added.
            do { try await database.transaction(add) } catch SQLError.uniqueViolation {}
        }
    }

    /// The root's private key, which only certifying needs.
    /// - Throws: ``ServerKeyError``.
    func root(of server: VirtualServer) async throws -> RootKey {
        let row = try await database.read { connection in
            try connection.one("SELECT id, secret FROM server_key WHERE server = $1 AND kind = 'root'", [SQLValue(server.id)])
        }
        guard let row else { throw ServerKeyError.noRoot }
        let context = Self.context(Kind.root.rawValue, server.id, try row.blob("id"))
        guard let seed = try? rootKey.unwrap(try row.blob("secret"), context: context) else { throw ServerKeyError.rootKeyApart }
        let root = try RootKey(seed: seed, serverID: server.id)
        guard root.root.ed25519 == server.publicKey else { throw ServerKeyError.noRoot }
        return root
    }

    /// All keys of a server but the root's private half.
    func load(_ server: VirtualServer) async throws -> StoredKeys {
        let (keys, prekeys) = try await database.read { connection in
            (
                try connection.query(
                    "SELECT kind, id, secret, certificate FROM server_key WHERE server = $1 AND kind <> 'root'", [SQLValue(server.id)]),
                try connection.query("SELECT id, secret, published_until, erased_at FROM prekey WHERE server = $1", [SQLValue(server.id)])
            )
        }
        var operatorKeys: [CertifiedKey] = []
        var sidKey: [UInt8]?
        for row in keys {
            let (kind, id) = (try row.text("kind"), try row.blob("id"))
            let secret = try key.unwrap(try row.blob("secret"), context: Self.context(kind, server.id, id))
            if kind == Kind.sid.rawValue { sidKey = secret }
            if kind == Kind.op.rawValue, let certificate = try row.optionalBlob("certificate") {
                operatorKeys.append(CertifiedKey(key: try OperatorKey(seed: secret), certificate: try OperatorCertificate(decoding: certificate)))
            }
        }
        guard let sidKey else { throw ServerKeyError.incomplete }
        return StoredKeys(
            root: Root(ed25519: server.publicKey, serverID: server.id), operatorKeys: operatorKeys, sidKey: sidKey,
            prekeys: try prekeys.map { try prekey($0, of: server.id) })
    }

    /// One prekey.
    func prekey(_ id: UInt32, of server: ServerID) async throws -> StoredPrekey? {
        let row = try await database.read { connection in
            try connection.one(
                "SELECT id, secret, published_until, erased_at FROM prekey WHERE id = $1 AND server = $2", [SQLValue(number: id), SQLValue(server)])
        }
        return try row.map { try prekey($0, of: server) }
    }

    private func prekey(_ row: SQLRow, of server: ServerID) throws -> StoredPrekey {
        guard let id = UInt32(exactly: try row.integer("id")) else { throw SQLError.outOfRange("id") }
        let secret = try key.unwrap(try row.blob("secret"), context: Self.context("prekey", server, Self.bytes(of: id)))
        return StoredPrekey(
            secret: try PrekeySecret(id: id, secret: secret), publishedUntil: Instant(try row.unsigned("published_until")),
            erasedAt: Instant(try row.unsigned("erased_at")))
    }

    private static func bytes(of id: UInt32) -> [UInt8] { withUnsafeBytes(of: id.bigEndian) { Array($0) } }

    private static func context(_ kind: String, _ server: ServerID, _ id: [UInt8]) -> String {
        "as/\(kind)/\(server.text)/\(Base64URL.encode(id))"
    }
}

/// A statement that is made outside the transaction in which it runs.
struct SQLStep: Sendable {
    let sql: String
    let arguments: [SQLValue]
}

/// Why a server's keys cannot be used. Each is told to the operator as one line.
package enum ServerKeyError: Error, Equatable, Sendable {
    case noRoot, incomplete
    /// The root is wrapped under another key file than the one given.
    case rootKeyApart
    /// The file that was given for the root key opens none of this database.
    case otherRootKey
    case noSigner
}

extension ServerKeyError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noRoot: "the database holds no root key that fits the server's identity: restore a backup"
        case .incomplete: "keys of the server are missing in the database: restore a backup"
        case .rootKeyApart: "the root key is kept apart: start with --root-key FILE to certify a new operational key"
        case .otherRootKey: "the root key given is not the one of this database: name the right file, or the right database"
        case .noSigner: "no operational key of the server is valid now: check the clock, or start with --root-key FILE"
        }
    }
}
