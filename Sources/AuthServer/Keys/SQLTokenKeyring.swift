import Authentication
import Database
import HTTPService
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens
import Synchronization

/// The keys of tokens of every virtual server that is a provider, opened once, and in memory for a few seconds at a time. Where other nodes write to the same
/// database the rows are read for each question: what one node has signed, another publishes the key of in the very next answer, and what was replaced
/// signs nothing more. The first question to a server that has become a provider makes its keys.
package final class SQLTokenKeyring: TokenKeyring {
    /// Seconds for which what was read is not read again, where no other node is.
    static let freshness: UInt64 = 10

    static func freshness(over database: any Database) -> UInt64 { database.isShared ? 0 : freshness }

    private struct State {
        var loaded: [ServerID: LoadedTokenKeys] = [:]
        /// Counts replacements: what was read before one is not kept after it.
        var turn = 0
    }

    private let store: any AuthenticationStore
    private let keyStore: KeyStore
    private let random: any RandomSource
    private let audited: @Sendable ([AuditEntry]) -> Void
    private let issuer: @Sendable (ServerID) -> String
    private let clock: @Sendable () -> Instant
    private let freshness: UInt64
    private let state = Mutex(State())

    /// - Parameters:
    ///   - issuer: `iss` of a virtual server.
    ///   - audited: is told what the audit trail has got, after the commit.
    package init(
        database: any Database, key: KeyEncryptionKey, random: any RandomSource, audited: @Sendable @escaping ([AuditEntry]) -> Void = { _ in },
        issuer: @Sendable @escaping (ServerID) -> String, clock: @Sendable @escaping () -> Instant
    ) {
        store = SQLAuthenticationStore(database: database, key: key)
        // No root key certifies what signs tokens.
        keyStore = KeyStore(database: database, key: key, rootKey: key)
        self.random = random
        self.audited = audited
        self.issuer = issuer
        self.clock = clock
        freshness = Self.freshness(over: database)
    }

    package func keys(of server: ServerID) async throws -> TokenKeys {
        let now = clock()
        if let known = known(server, at: now) { return known }
        return try await look(server, at: now)
    }

    /// What is in memory, if it has the algorithm; otherwise what there is, and what this makes of what is missing: a client that was registered a moment
    /// ago gets its tokens, and spends its code for them.
    package func keys(of server: ServerID, signingBy algorithm: SignatureAlgorithm) async throws -> TokenKeys {
        let known = try await keys(of: server)
        return known.signers[algorithm] == nil && freshness > 0 ? try await look(server, at: clock()) : known
    }

    /// What is in memory, if it is young enough. When it isn't, one caller looks, and the others go on with what there is until then.
    private func known(_ server: ServerID, at now: Instant) -> TokenKeys? {
        state.withLock { state in
            guard let known = state.loaded[server] else { return nil }
            // By the distance: a clock that was put back would else look nothing up until it is where it was.
            if now.distance(to: known.lookedAt) < freshness { return known.keys }
            state.loaded[server]?.lookedAt = now
            return nil
        }
    }

    /// Reads what any node made, and makes what is missing. What is only near its end is for ``renew()``.
    private func look(_ server: ServerID, at now: Instant) async throws -> TokenKeys {
        let turn = state.withLock(\.turn)
        var rows = try await keyStore.tokenKeys(of: server)
        // A call may be waiting for it, and a key of RSA takes a while.
        if !rows.missing(at: now).isEmpty { rows = try await aside { try await keyStore.renewedTokenKeys(of: server, using: random, at: now) } }
        return try load(rows, of: server, at: now, turn: turn)
    }

    @discardableResult
    private func load(_ rows: TokenKeyRows, of server: ServerID, at now: Instant, turn: Int) throws -> TokenKeys {
        guard rows.wanted != nil else {
            state.withLock { $0.loaded[server] = nil }
            throw NoProvider()
        }
        let former = state.withLock { $0.loaded[server] }
        if var former, former.isSame(as: rows, at: now) {
            former.lookedAt = now
            state.withLock { [former] in if $0.turn == turn { $0.loaded[server] = former } }
            return former.keys
        }
        let loaded = try LoadedTokenKeys(rows, over: former, issuer: issuer(server), at: now, secret: keyStore.secret)
        state.withLock { if $0.turn == turn { $0.loaded[server] = loaded } }
        return loaded.keys
    }

    /// Makes the next key of all whose key is near its end, and erases what is over: for the node that works in the background.
    /// - Throws: the first fault, after all other servers had their turn.
    package func renew() async throws {
        let now = clock()
        var first: (any Error)?
        for server in try await store.read({ rows in try rows.servers() }) {
            do { try await renew(server.id, at: now) } catch { first = first ?? error }
        }
        if let first { throw first }
    }

    private func renew(_ server: ServerID, at now: Instant) async throws {
        let turn = state.withLock(\.turn)
        let rows = try await keyStore.renewedTokenKeys(of: server, using: random, at: now)
        if rows.wanted != nil { try load(rows, of: server, at: now, turn: turn) }
    }

    /// What is published of a server, for its operator; empty where nothing is.
    package func facts(of server: ServerID) async throws -> [TokenKeyFacts] { try await keyStore.tokenKeys(of: server).facts(at: clock()) }

    /// In an emergency: from now on new keys sign, and no token that was signed before is verified by whoever looks at what is published, at any node.
    /// Refresh tokens go on, unless the secret that they are derived with is replaced as well: then all are over.
    /// - Throws: `NoProvider`, and what storage throws.
    package func replace(_ server: ServerID, alsoSecret: Bool = false, by actor: AuditActor) async throws {
        let now = clock()
        let (rows, entries) = try await keyStore.replacedTokenKeys(of: server, alsoSecret: alsoSecret, by: actor, using: random, at: now)
        let turn = state.withLock { state in
            state.turn += 1
            state.loaded[server] = nil
            return state.turn
        }
        audited(entries)
        try load(rows, of: server, at: now, turn: turn)
    }
}

/// The keys of one server as they were read, opened.
private struct LoadedTokenKeys: Sendable {
    /// When somebody last looked whether they are still the same.
    var lookedAt: Instant
    let keys: TokenKeys
    private let rows: TokenKeyRows
    /// What signs and what is published of them changes with the time, too.
    private let shown: [[KeyRow]]
    private let signers: [KeyRow.ID: LocalSigner]

    /// - Parameters:
    ///   - former: what was read before: a row that was among it is not opened again.
    ///   - open: what a row holds.
    init(_ rows: TokenKeyRows, over former: LoadedTokenKeys?, issuer: String, at now: Instant, secret open: (KeyRow) throws -> [UInt8]) throws {
        var signers: [KeyRow.ID: LocalSigner] = [:]
        for algorithm in SignatureAlgorithm.allCases {
            for row in rows.keys(.token(algorithm)) {
                signers[row.key] = try former?.signers[row.key] ?? LocalSigner(algorithm, stored: try open(row))
            }
        }
        guard let secret = rows.keys(.tokenSecret).first else { throw ServerKeyError.incomplete }
        lookedAt = now
        keys = TokenKeys(
            issuer: issuer, signers: rows.signing(at: now).compactMap { signers[$0.key] },
            published: JWKSet(rows.published(at: now).compactMap { signers[$0.key]?.key }), secret: try open(secret))
        (self.rows, shown) = (rows, rows.shown(at: now))
        self.signers = signers
    }

    /// Whether this is what the rows say at `now`.
    func isSame(as rows: TokenKeyRows, at now: Instant) -> Bool { rows == self.rows && rows.shown(at: now) == shown }
}

extension TokenKeyRows {
    fileprivate func shown(at now: Instant) -> [[KeyRow]] { [signing(at: now), published(at: now)] }
}
