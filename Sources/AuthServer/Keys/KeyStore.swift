import Authentication
import Database
import OstiaryProtocol

/// Private keys in the database, wrapped; the root may be wrapped under a key of its own that is kept elsewhere.
struct KeyStore: Sendable {
    let database: any Database
    let key: KeyEncryptionKey
    /// Wraps the root keys.
    let rootKey: KeyEncryptionKey

    /// Adds the first server together with its keys, unless another node was faster.
    /// - Parameter secrets: of the keys that never end.
    /// - Returns: what the audit trail says of it.
    func create(_ server: VirtualServer, with secrets: [(kind: KeyKind, secret: [UInt8])], at now: Instant) async throws -> [AuditEntry] {
        let salt = WrapSalt()
        let keys = try secrets.map { try row($0.kind, $0.secret, certificate: nil, of: server.id, at: now, salt: salt) }
        let key = key
        return try await database.transaction { connection, former in
            let rows = SQLRows(connection, key: key)
            if let former, try rows.server(server.id) != nil { return former }
            guard try rows.servers().isEmpty else { return [] }
            let entry = AuditEntry(.serverCreated, server: server.id, by: .operator, at: now)
            try rows.save(server)
            try rows.record(entry)
            let keyRows = SQLKeyRows(connection)
            for key in keys { try keyRows.save(key) }
            return [entry]
        }
    }

    /// Erases what is over, makes what is missing or near its end, and answers what there is: decided and written in one transaction, so that of
    /// several nodes only one makes a key. Where nothing is due nothing is written.
    /// - Parameter fresh: what new keys are made of, if any are.
    /// - Throws: ``ServerKeyError/keysGone`` before anything was, another ``ServerKeyError`` after the rest was done; `UnwrapError` before anything was, of another key than the one that all there is wrapped under.
    func renewed(_ server: VirtualServer, with fresh: FreshKeys, at now: Instant) async throws -> StoredKeys {
        let done = try await database.transaction { connection, _ -> (keys: [KeyRow], prekeys: [PrekeyRow], missing: ServerKeyError?) in
            let rows = SQLKeyRows(connection)
            var keys = try rows.keys(of: server.id)
            // What a node with a key file of its own would write here no other could read.
            if let kept = keys.first(where: { $0.key.kind == KeyKind.sid.name }) { _ = try secret(of: kept) }
            // Nor is anything made beside what is gone: it would be in the way of what comes back.
            try SQLKeyRows.checkOwnKeys(among: Set(keys.map(\.key.kind)))
            try eraseExpiredPrekeys(of: server.id, in: rows, at: now)
            try ensurePrekey(fresh, of: server.id, in: rows, at: now)
            var missing: ServerKeyError?
            for (kind, secret) in zip(KeyKind.renewed, fresh.secrets) {
                do {
                    guard let new = try due(kind, secret, of: server, among: keys, salt: fresh.salt, at: now) else { continue }
                    try rows.save(new)
                    keys.append(new)
                } catch let error as ServerKeyError { missing = error }
            }
            let replaced = Self.replaced(among: keys, at: now)
            for key in replaced { try rows.remove(key) }
            return (keys.filter { !replaced.contains($0.key) }, try rows.prekeys(of: server.id), missing)
        }
        if let missing = done.missing { throw missing }
        return try opened(done.keys, done.prekeys, of: server)
    }

    /// Whether the database holds what a program runs with: each virtual server under its root, with the keys that were made with it. One that is gone as a
    /// whole was deleted, but for the first, which nobody deletes.
    /// - Throws: ``ServerKeyError/keysGone``, `SQLError`.
    func checkKept(_ roots: [Root], first: ServerID?) async throws {
        try await database.read { connection in
            let rows = SQLKeyRows(connection)
            if let first, try rows.publicKey(of: first) == nil { throw ServerKeyError.keysGone }
            for root in roots {
                guard let publicKey = try rows.publicKey(of: root.serverID) else { continue }
                guard publicKey == root.ed25519 else { throw ServerKeyError.keysGone }
                try rows.checkOwnKeys(of: root.serverID)
            }
        }
    }

    /// The names of the servers that there are.
    func servers() async throws -> [ServerID] {
        try await database.read { connection in try connection.query("SELECT id FROM server").map { try $0.identifier("id") } }
    }

    /// What there is, as any node made it.
    func load(_ server: VirtualServer) async throws -> StoredKeys {
        let (keys, prekeys) = try await database.read { connection in
            let rows = SQLKeyRows(connection)
            return (try rows.keys(of: server.id), try rows.prekeys(of: server.id))
        }
        return try opened(keys, prekeys, of: server)
    }

    /// A prekey that a clock made which ran ahead is opened for as long as one of now, and erased with it.
    private func eraseExpiredPrekeys(of server: ServerID, in rows: SQLKeyRows, at now: Instant) throws {
        for var prekey in try rows.prekeys(of: server) {
            guard now <= prekey.erasedAt else {
                try rows.remove(prekey: prekey.id)
                continue
            }
            prekey.publishedUntil = min(prekey.publishedUntil, now + PrekeyLife.published)
            prekey.erasedAt = min(prekey.erasedAt, now + PrekeyLife.opened)
            try rows.save(prekey)
        }
    }

    /// What is over goes where another is good now. Where none is, since the root key is not here, it stays: it opens nothing, and if it was the clock that
    /// leapt, all nodes sign with it again.
    private static func replaced(among keys: [KeyRow], at now: Instant) -> [KeyRow.ID] {
        KeyKind.renewed.flatMap { kind -> [KeyRow.ID] in
            let ofKind = keys.filter { $0.key.kind == kind.name }
            let isGood = ofKind.contains { $0.notBefore <= now && now <= $0.notAfter }
            return isGood ? ofKind.filter { $0.notAfter < now }.map(\.key) : []
        }
    }

    /// A new key of a kind when the newest is near its end; nil when it is not, and without the root key, where it is kept apart: the old one serves until it
    /// is over.
    private func due(
        _ kind: KeyKind, _ secret: [UInt8], of server: VirtualServer, among keys: [KeyRow], salt: WrapSalt, at now: Instant
    ) throws -> KeyRow? {
        // A key that a clock made which ran ahead is not good yet, and counts for nothing.
        let newest = keys.filter { $0.key.kind == kind.name && $0.notBefore <= now }.map(\.notAfter).max()
        guard kind.isDue(after: newest, at: now) else { return nil }
        var certificate: [UInt8]?
        if let certify = kind.certificate {
            let times = kind.times(at: now)
            do { certificate = try certify(try root(of: server, among: keys), secret, times.from, times.until) } catch ServerKeyError.rootKeyApart
                where newest.map({ now <= $0 }) ?? false
            {
                // There is time left; readiness says until when.
                return nil
            }
        }
        return try row(kind, secret, certificate: certificate, of: server.id, at: now, salt: salt)
    }

    private func ensurePrekey(_ fresh: FreshKeys, of server: ServerID, in rows: SQLKeyRows, at now: Instant) throws {
        let newest = try rows.prekeys(of: server).map(\.publishedUntil).max()
        guard newest.map({ $0 < now + PrekeyLife.overlap }) ?? true else { return }
        // One of another server has the same number: the next round draws another.
        guard try rows.prekey(fresh.prekeyID) == nil else { return }
        let wrapped = try key.wrap(fresh.prekeySecret, context: Self.context(ofPrekey: fresh.prekeyID, server), salt: fresh.salt)
        try rows.save(
            PrekeyRow(
                id: fresh.prekeyID, server: server, wrapped: wrapped, publishedUntil: now + PrekeyLife.published,
                erasedAt: now + PrekeyLife.opened))
    }

    private func row(
        _ kind: KeyKind, _ secret: [UInt8], certificate: [UInt8]?, of server: ServerID, at now: Instant, salt: WrapSalt
    ) throws -> KeyRow {
        let id = KeyRow.ID(server: server, kind: kind.name, id: try kind.id(secret))
        let wrapping = kind.name == KeyKind.root.name ? rootKey : key
        let times = kind.times(at: now)
        return KeyRow(
            key: id, wrapped: try wrapping.wrap(secret, context: Self.context(of: id), salt: salt), certificate: certificate,
            notBefore: times.from, notAfter: times.until)
    }

    /// The root's private key, which only certifying needs.
    /// - Throws: ``ServerKeyError``.
    func root(of server: VirtualServer) async throws -> RootKey {
        try root(of: server, among: try await database.read { connection in try SQLKeyRows(connection).keys(of: server.id) })
    }

    private func root(of server: VirtualServer, among keys: [KeyRow]) throws -> RootKey {
        guard let row = keys.first(where: { $0.key.kind == KeyKind.root.name }) else { throw ServerKeyError.noRoot }
        guard let seed = try? rootKey.unwrap(row.wrapped, context: Self.context(of: row.key)) else { throw ServerKeyError.rootKeyApart }
        let root = try RootKey(seed: seed, serverID: server.id)
        guard root.root.ed25519 == server.publicKey else { throw ServerKeyError.noRoot }
        return root
    }

    /// All keys but the root's private half.
    private func opened(_ keys: [KeyRow], _ prekeys: [PrekeyRow], of server: VirtualServer) throws -> StoredKeys {
        // In the same order at every node, the one that has just made a key among them.
        let ofKind = keys.filter { $0.key.kind == KeyKind.op.name }.sorted { $0.key.id.lexicographicallyPrecedes($1.key.id) }
        let operatorKeys = try ofKind.compactMap { row in
            try row.certificate.map { certificate in
                CertifiedKey(key: try OperatorKey(seed: try secret(of: row)), certificate: try OperatorCertificate(decoding: certificate))
            }
        }
        guard let sid = keys.first(where: { $0.key.kind == KeyKind.sid.name }) else { throw ServerKeyError.incomplete }
        return StoredKeys(
            root: Root(ed25519: server.publicKey, serverID: server.id), operatorKeys: operatorKeys, sidKey: try secret(of: sid),
            prekeys: try prekeys.map(opened))
    }

    func secret(of row: KeyRow) throws -> [UInt8] { try key.unwrap(row.wrapped, context: Self.context(of: row.key)) }

    /// One prekey.
    func prekey(_ id: UInt32, of server: ServerID) async throws -> StoredPrekey? {
        let row = try await database.read { connection in try SQLKeyRows(connection).prekey(id) }
        guard let row, row.server == server else { return nil }
        return try opened(row)
    }

    private func opened(_ row: PrekeyRow) throws -> StoredPrekey {
        let secret = try key.unwrap(row.wrapped, context: Self.context(ofPrekey: row.id, row.server))
        return StoredPrekey(
            secret: try PrekeySecret(id: row.id, secret: secret), publishedUntil: row.publishedUntil, erasedAt: row.erasedAt)
    }

    static func context(of key: KeyRow.ID) -> String { "as/\(key.kind)/\(key.server.text)/\(Base64URL.encode(key.id))" }

    private static func context(ofPrekey id: UInt32, _ server: ServerID) -> String {
        "as/prekey/\(server.text)/\(Base64URL.encode(withUnsafeBytes(of: id.bigEndian) { Array($0) }))"
    }
}

extension SQLKeyRows {
    /// That the keys are there which were made with a server and never end.
    /// - Throws: ``ServerKeyError/keysGone``, `SQLError`.
    func checkOwnKeys(of server: ServerID) throws { try Self.checkOwnKeys(among: try kinds(of: server)) }

    /// - Parameter kinds: of which a server has keys.
    /// - Throws: ``ServerKeyError/keysGone``.
    static func checkOwnKeys(among kinds: Set<String>) throws {
        guard kinds.isSuperset(of: [KeyKind.root.name, KeyKind.sid.name]) else { throw ServerKeyError.keysGone }
    }
}

/// What new keys of a server are made of, drawn before the transaction that may need some of it.
struct FreshKeys: Sendable {
    /// One for each of ``KeyKind/renewed``.
    let secrets: [[UInt8]]
    let prekeyID: UInt32
    let prekeySecret: [UInt8]
    let salt = WrapSalt()

    init(using random: any RandomSource) {
        secrets = KeyKind.renewed.map { _ in random.bytes(32) }
        prekeyID = random.u32()
        prekeySecret = random.bytes(32)
    }
}

/// Why a server's keys cannot be used. Each is told to the operator as one line.
package enum ServerKeyError: Error, Equatable, Sendable {
    case noRoot, incomplete
    /// A virtual server that this program has run with, its root key or that of its session ids is not in the database any more, or another root is.
    case keysGone
    /// Keys are there that sign tokens, and not the secret that was made with them.
    case tokenSecretGone
    /// The root is wrapped under another key file than the one given.
    case rootKeyApart
    /// The file that was given for the root key opens none of this database.
    case otherRootKey
    case noSigner
}

extension ServerKeyError {
    /// Whether a fault passes by an operator's hand: the operational key is over, and the root key that certifies the next is not here; or keys are gone from
    /// the database, or others are in their place.
    package static func isOutage(_ error: any Error) -> Bool {
        switch error {
        case ServerKeyError.otherRootKey: false
        default: error is ServerKeyError
        }
    }
}

extension ServerKeyError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noRoot: "the database holds no root key that fits the server's identity: restore a backup"
        case .incomplete: "keys of the server are missing in the database: restore a backup"
        case .keysGone: KeysGone.words("a virtual server or its keys are", or: "others are in their place")
        case .tokenSecretGone:
            "the secret of refresh tokens is gone from the database, and no new one is made, with which all of them were over: restore a backup, or have all keys "
                + "of tokens replaced with the secret (ostiary admin keys rotate --end-refresh-tokens)"
        case .rootKeyApart: "the root key is kept apart: start again with --root-key FILE to certify a new operational key"
        case .otherRootKey: "the root key given is not the one of this database: name the right file, or the right database"
        case .noSigner: "no operational key of the server is valid now: check the clock, or start with --root-key FILE"
        }
    }
}
