import Authentication
import Database
import HTTPService
import OAuthProvider
import OstiaryProtocol
import Synchronization

/// The virtual servers with their keys, in memory for as long as they are good. Where other nodes write to the same database, one that is not known here is
/// looked for there before anybody is told that there is none.
package final class ServerVault: ServerKeyring {
    private struct Standing {
        /// The default server, once it was opened.
        var first: ServerID?
        /// Whether the last look has missed what this program runs with.
        private(set) var isGone = false
        /// How many looks have begun, and the last of those that have ended.
        var begun = 0
        private var ended = 0

        /// One that began before another which has ended says nothing new.
        mutating func note(_ look: Int, isGone: Bool) {
            guard look > ended else { return }
            (ended, self.isGone) = (look, isGone)
        }
    }

    private let store: any AuthenticationStore
    private let keyStore: KeyStore
    private let random: any RandomSource
    private let clock: @Sendable () -> Instant
    private let audited: @Sendable ([AuditEntry]) -> Void
    /// Whether `--root-key` was given.
    let isRootKeyGiven: Bool
    private let loaded = Mutex<[ServerID: StoredKeys]>([:])
    private let standing = Mutex(Standing())
    private let signatures = PrekeySignatures()
    private let looks = SharedLook()
    private let looksAtKept = SharedLook()

    /// - Parameters:
    ///   - rootKey: wraps root keys; by default the key that wraps everything else.
    ///   - audited: is told what the audit trail has got, after the commit.
    package init(
        database: any Database, key: KeyEncryptionKey, rootKey: KeyEncryptionKey? = nil, random: any RandomSource,
        audited: @Sendable @escaping ([AuditEntry]) -> Void = { _ in }, clock: @Sendable @escaping () -> Instant
    ) {
        store = SQLAuthenticationStore(database: database, key: key)
        keyStore = KeyStore(database: database, key: key, rootKey: rootKey ?? key)
        isRootKeyGiven = rootKey != nil
        self.random = random
        self.audited = audited
        self.clock = clock
    }

    /// Makes the default virtual server on the first start, renews keys that run out, and loads the rest.
    /// - Returns: the default server: the oldest.
    package func open(name: String) async throws -> VirtualServer {
        if try await store.read({ rows in try rows.servers() }).isEmpty { try await makeServer(name: name) }
        let servers = try await store.read { rows in try rows.servers() }
        if isRootKeyGiven { try await checkGivenRootKey(of: servers) }
        try await renew()
        guard let first = servers.first else { throw UnknownServer() }
        standing.withLock { $0.first = first.id }
        return first
    }

    /// The identity of the default server, which is made if there is none. It is that of the root's public half: it can be told also when the
    /// operational key is over and the root key that certifies the next is not here.
    package func openedIdentity(name: String) async throws -> [UInt8] {
        do { return try rootHash(of: try await open(name: name).id) } catch let error as ServerKeyError
            where error == .rootKeyApart || error == .noSigner
        {
            guard let first = try await store.read({ rows in try rows.servers() }).first else { throw error }
            return Root(ed25519: first.publicKey, serverID: first.id).hash
        }
    }

    /// A file that opens none of the root keys is that of another database, and would not be missed before the operational key ends.
    private func checkGivenRootKey(of servers: [VirtualServer]) async throws {
        for server in servers {
            do { _ = try await keyStore.root(of: server) } catch ServerKeyError.rootKeyApart { throw ServerKeyError.otherRootKey }
        }
    }

    private func makeServer(name: String) async throws {
        let now = clock()
        let id = ServerID(using: random)
        let seed = random.bytes(32)
        let root = try RootKey(seed: seed, serverID: id)
        let server = VirtualServer(id: id, publicKey: root.root.ed25519, createdAt: now, parameters: ServerParameters(name: name))
        audited(try await keyStore.create(server, with: [(.root, seed), (.sid, random.bytes(32))], at: now))
    }

    /// Certifies operational keys and makes prekeys before the old ones end, erases what is over, and reads what other nodes did.
    /// - Throws: ``ServerKeyError`` of the first server whose keys can't be renewed, after all others were.
    package func renew() async throws {
        let now = clock()
        var first: ServerKeyError?
        for server in try await present() {
            do {
                let keys = try await keyStore.renewed(server, with: FreshKeys(using: random), at: now)
                loaded.withLock { $0[server.id] = keys }
            } catch let error as ServerKeyError { first = first ?? error }
        }
        if let first { throw first }
    }

    /// Reads what other nodes did.
    package func reload() async throws {
        for server in try await present() {
            let keys = try await keyStore.load(server)
            loaded.withLock { $0[server.id] = keys }
        }
    }

    /// Whether the database still holds what this program runs with. Where it does not, somebody has taken the rows from beneath it: from then on nothing is
    /// made, signed or told to be unknown, until a look finds the same there again.
    /// - Throws: ``ServerKeyError/keysGone``, `SQLError`.
    package func checkKept() async throws {
        let roots = loaded.withLock { $0.values.map(\.root) }
        let (first, look) = standing.withLock { standing in
            standing.begun += 1
            return (standing.first, standing.begun)
        }
        do { try await keyStore.checkKept(roots, first: first) } catch ServerKeyError.keysGone {
            standing.withLock { $0.note(look, isGone: true) }
            throw ServerKeyError.keysGone
        }
        standing.withLock { $0.note(look, isGone: false) }
    }

    private var isGone: Bool { standing.withLock { $0.isGone } }

    /// What a fault is at present: of a virtual server whose rows were taken from beneath this program nobody hears that there is none.
    package func told(_ error: any Error) -> any Error { saysUnknown(error) && isGone ? ServerKeyError.keysGone : error }

    /// The same, looked at before anybody hears that there is none: the rows may have been taken since the last look. Strangers can ask for names that never
    /// were, so many share a look.
    package func looked(at error: any Error) async -> any Error {
        // What it finds is noted; where storage says nothing, nothing is known.
        if saysUnknown(error), !isGone { try? await looksAtKept.share { [self] in try await checkKept() } }
        return told(error)
    }

    private func saysUnknown(_ error: any Error) -> Bool { error is UnknownServer || error is NoProvider }

    /// The servers that there are. Of any other the keys are forgotten.
    private func present() async throws -> [VirtualServer] {
        try await checkKept()
        let servers = try await store.read { rows in try rows.servers() }
        // The first is never deleted: its rows may go between the two looks.
        let ids = Set(servers.map(\.id) + [standing.withLock { $0.first }].compactMap(\.self))
        loaded.withLock { loaded in loaded = loaded.filter { ids.contains($0.key) } }
        return servers
    }

    /// Something that is known here of a server, or becomes known by a look whether another node has made one. Only ids are asked for where nothing is new.
    private func known<Value: Sendable>(_ find: @Sendable ([ServerID: StoredKeys]) -> Value?) async throws -> Value? {
        if isGone { throw ServerKeyError.keysGone }
        if let found = loaded.withLock({ find($0) }) { return found }
        guard keyStore.database.isShared else { return nil }
        try await looks.share { [self] in
            let ids = Set(try await keyStore.servers())
            if loaded.withLock({ Set($0.keys) }) != ids { try await reload() }
        }
        return loaded.withLock { find($0) }
    }

    private func stored(_ server: ServerID) throws -> StoredKeys {
        guard let keys = loaded.withLock({ $0[server] }) else { throw UnknownServer() }
        return keys
    }

    /// The keys with the one that signs now. When the clock was just put right there may be none that is valid by it: then one is made.
    private func signing(_ server: ServerID) async throws -> (keys: StoredKeys, signer: CertifiedKey) {
        guard let present = try await known({ $0[server] }) else { throw UnknownServer() }
        if let signer = present.signer(at: clock()) { return (present, signer) }
        try await renew()
        let renewed = try stored(server)
        guard let signer = renewed.signer(at: clock()) else { throw ServerKeyError.noSigner }
        return (renewed, signer)
    }

    package func keys(of server: ServerID) async throws -> ServerKeys {
        let (keys, signer) = try await signing(server)
        return ServerKeys(chain: keys.chain(at: clock()), operatorKey: signer.key, sidKey: keys.sidKey)
    }

    /// The server that phones mean by the tag in front of a request.
    package func server(tag: [UInt8]) async throws -> ServerID? { try await known { $0.first { $0.value.tag == tag }?.key } }

    package func server(rootHash: [UInt8]) async throws -> ServerID? { try await known { $0.first { $0.value.rootHash == rootHash }?.key } }

    /// The private half of a prekey; one that another node has just made is looked up by its id, so that a made-up one costs one question.
    package func prekey(_ id: UInt32, of server: ServerID) async throws -> PrekeySecret? {
        guard let keys = try await known({ $0[server] }) else { throw UnknownServer() }
        if let prekey = keys.prekey(id, at: clock()) { return prekey }
        guard let fresh = try await keyStore.prekey(id, of: server) else { return nil }
        return loaded.withLock { loaded in
            loaded[server]?.add(fresh)
            return loaded[server]?.prekey(id, at: clock())
        }
    }

    package func publishedPrekeys(of server: ServerID) async throws -> [Encoded<Prekey>] {
        let (keys, signer) = try await signing(server)
        var prekeys = keys.published(at: clock())
        if prekeys.isEmpty {
            // The clock leapt over all of them since the last renewal.
            try await renew()
            prekeys = try stored(server).published(at: clock())
        }
        return prekeys.map { signatures.published($0, signedBy: signer.key) }
    }

    /// The identity that phones pin and operators compare.
    package func rootHash(of server: ServerID) throws -> [UInt8] { try stored(server).rootHash }

    /// Throws when a virtual server has no operational key that signs now, and none can be made: phones and pages are refused then.
    package func checkSigners() async throws {
        for server in loaded.withLock({ Array($0.keys) }) { _ = try await signing(server) }
    }

    /// Throws where a virtual server signs no tokens any more, since the secret that was made with their keys is gone from the database.
    package func checkTokenSecrets() async throws { try await keyStore.checkTokenSecrets(of: loaded.withLock { Array($0.keys) }) }

    /// The root key that is kept apart from the database and is not here, so that no operational key can be renewed: of several virtual servers that of the one
    /// whose key ends first. Nil where none is missing.
    package func missingRootKey() async throws -> RootKeyMissing? {
        var first: Instant?
        for server in try await store.read({ rows in try rows.servers() }) {
            guard let end = try await known({ $0[server.id] })?.operatorKeys.map(\.certificate.notAfter).max() else { continue }
            do { _ = try await keyStore.root(of: server) } catch ServerKeyError.rootKeyApart { first = min(first ?? end, end) }
        }
        return first.map { RootKeyMissing(end: $0.seconds, overlap: KeyKind.op.overlap, now: clock().seconds) }
    }
}
