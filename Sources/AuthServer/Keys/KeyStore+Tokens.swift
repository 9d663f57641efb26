import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// The keys of tokens: like all others in `server_key`, wrapped, and made by the rules of ``KeyKind``.
extension KeyStore {
    func tokenKeys(of server: ServerID) async throws -> TokenKeyRows {
        try await database.read { connection in try SQLKeyRows(connection).tokenKeys(of: server) }
    }

    /// Whether the secret of refresh tokens is there of each server that has keys which sign tokens.
    /// - Throws: ``ServerKeyError/tokenSecretGone``, `SQLError`.
    func checkTokenSecrets(of servers: [ServerID]) async throws {
        let signing = SignatureAlgorithm.allCases.map { KeyKind.token($0).name }
        try await database.read { connection in
            let rows = SQLKeyRows(connection)
            for server in servers {
                let kinds = try rows.kinds(of: server)
                guard kinds.isDisjoint(with: signing) || kinds.contains(KeyKind.tokenSecret.name) else { throw ServerKeyError.tokenSecretGone }
            }
        }
    }

    /// Erases what is over, makes what is missing or near its end, and answers what there is. Looked at first and drawn before the transaction, because
    /// an RSA key takes a while; decided in it, so that of several nodes only one makes a key. Where nothing is due nothing is written. Nothing is made beside
    /// what was lost either: it would be in the way of what comes back, and another secret would end every refresh token.
    /// - Throws: ``ServerKeyError/keysGone``, ``ServerKeyError/tokenSecretGone``, `SQLError`.
    func renewedTokenKeys(of server: ServerID, using random: any RandomSource, at now: Instant) async throws -> TokenKeyRows {
        let present = try await tokenKeys(of: server)
        let due = present.due(at: now)
        guard !due.isEmpty || !present.over(at: now).isEmpty else { return present }
        let fresh = try FreshTokenKeys(due, of: server, wrappedBy: key, using: random)
        return try await database.transaction { connection, _ in
            let rows = SQLKeyRows(connection)
            let present = try rows.tokenKeys(of: server)
            try rows.checkOwnKeys(of: server)
            guard present.keys.isEmpty || !present.keys(.tokenSecret).isEmpty else { throw ServerKeyError.tokenSecretGone }
            for row in present.over(at: now) { try rows.remove(row.key) }
            for kind in present.due(at: now) {
                // Where nothing signs there is nobody to be told ahead.
                let begin = present.used(kind, at: now) == nil ? now - KeyKind.clockSlack : now + kind.ahead
                if let row = fresh.row(kind, from: begin) { try rows.save(row) }
            }
            return try rows.tokenKeys(of: server)
        }
    }

    /// Puts new keys in the place of all that sign, and with them the secret if that is to end, too. The former are erased: what they signed is verified
    /// by nobody who looks again.
    /// - Returns: what there is now, and what the audit trail says of it.
    /// - Throws: `NoProvider`, ``ServerKeyError/keysGone``.
    func replacedTokenKeys(
        of server: ServerID, alsoSecret: Bool, by actor: AuditActor, using random: any RandomSource, at now: Instant
    ) async throws -> (rows: TokenKeyRows, entries: [AuditEntry]) {
        let present = try await tokenKeys(of: server)
        guard present.wanted != nil else { throw NoProvider() }
        let wanted = Set(present.wantedKinds.map(\.name))
        let kinds = TokenKeyRows.kinds.filter { kind in
            // Where nothing was made yet the secret is, too.
            let isKept = !alsoSecret && kind.name == KeyKind.tokenSecret.name && !present.keys(kind).isEmpty
            return (wanted.contains(kind.name) || !present.keys(kind).isEmpty) && !isKept
        }
        let fresh = try FreshTokenKeys(kinds, of: server, wrappedBy: key, using: random)
        let key = key
        return try await database.transaction { connection, former -> (rows: TokenKeyRows, entries: [AuditEntry]) in
            let rows = SQLKeyRows(connection)
            let present = try rows.tokenKeys(of: server)
            if let former, fresh.isAmong(present.keys) { return former }
            try rows.checkOwnKeys(of: server)
            for kind in kinds {
                for row in present.keys(kind) { try rows.remove(row.key) }
                if let row = fresh.row(kind, from: now - KeyKind.clockSlack) { try rows.save(row) }
            }
            let entry = AuditEntry(.tokenKeysReplaced, server: server, by: actor, at: now)
            try SQLRows(connection, key: key).record(entry)
            return (try rows.tokenKeys(of: server), [entry])
        }
    }
}

/// What new keys of tokens are made of, drawn and wrapped before the transaction that may need some of them.
private struct FreshTokenKeys: Sendable {
    private let wrapped: [String: (id: KeyRow.ID, secret: [UInt8])]

    init(_ kinds: [KeyKind], of server: ServerID, wrappedBy key: KeyEncryptionKey, using random: any RandomSource) throws {
        let salt = WrapSalt()
        wrapped = try Dictionary(
            uniqueKeysWithValues: kinds.map { kind in
                let secret = try kind.drawn(using: random)
                let id = KeyRow.ID(server: server, kind: kind.name, id: try kind.id(secret))
                return (kind.name, (id, try key.wrap(secret, context: KeyStore.context(of: id), salt: salt)))
            })
    }

    /// The key of a kind that was drawn, used from `begin` on; nil for a kind that nobody drew for.
    func row(_ kind: KeyKind, from begin: Instant) -> KeyRow? {
        wrapped[kind.name].map { id, secret in
            KeyRow(
                key: id, wrapped: secret, certificate: nil, notBefore: begin,
                notAfter: kind.life.map { begin + $0 + kind.after } ?? Instant(UInt64(Int64.max)))
        }
    }

    /// Whether these are there. A secret without a name of its own is known by how it is wrapped.
    func isAmong(_ rows: [KeyRow]) -> Bool {
        wrapped.values.allSatisfy { id, secret in rows.contains { $0.key == id && $0.wrapped == secret } }
    }
}

extension KeyKind {
    /// The secret of a new key of tokens.
    fileprivate func drawn(using random: any RandomSource) throws -> [UInt8] {
        guard let algorithm = SignatureAlgorithm.allCases.first(where: { KeyKind.token($0).name == name }) else { return random.bytes(32) }
        return try LocalSigner.drawn(algorithm, using: random)
    }
}
