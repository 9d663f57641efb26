import AuthServer
import Authentication
import Database
import HTTPService
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Keys of the virtual servers (protocol §1)", .againWithLostCommits)
struct ServerVaultTests {
    private static let day: UInt64 = 86_400

    private static func vault(
        _ database: any Database, _ key: KeyEncryptionKey, _ clock: TestClock, rootKey: KeyEncryptionKey? = nil
    ) async throws -> ServerVault {
        try await database.migrate(AuthenticationSchema.migrations)
        return ServerVault(database: database, key: key, rootKey: rootKey, random: SystemRandomSource()) { clock.now }
    }

    @Test("The first start makes one server; the next finds it with the same identity and the same session ids")
    func restart() async throws {
        let (database, key, clock) = (try await misbehavingDatabase(), KeyEncryptionKey.random(), TestClock())
        let first = try await Self.vault(database, key, clock)
        let server = try await first.open(name: "Shop")
        let second = try await Self.vault(database, key, clock)
        #expect(try await second.open(name: "Other") == server)
        #expect(server.parameters.name == "Shop")
        #expect(try second.rootHash(of: server.id) == first.rootHash(of: server.id))
        let (mine, theirs) = (try await first.keys(of: server.id), try await second.keys(of: server.id))
        let hash = Sample.bytes(1)
        #expect(mine.derivation.sessionID(nonceHash: hash, run: 0) == theirs.derivation.sessionID(nonceHash: hash, run: 0))
        #expect(mine.derivation.sessionID(nonceHash: hash, run: 1) != mine.derivation.sessionID(nonceHash: hash, run: 0))
    }

    @Test("A prekey is published for a day, opened for two, and then erased; a younger one is always there")
    func prekeys() async throws {
        let (database, key, clock) = (try await misbehavingDatabase(), KeyEncryptionKey.random(), TestClock())
        let vault = try await Self.vault(database, key, clock)
        let server = try await vault.open(name: "Shop").id
        let first = try #require(try await vault.publishedPrekeys(of: server).first).value.id
        for hours in stride(from: UInt64(6), through: 54, by: 6) {
            clock.advance(6 * 3_600)
            try await vault.renew()
            let published = try await vault.publishedPrekeys(of: server).map(\.value)
            #expect(published.contains { $0.notAfter >= clock.now + 12 * 3_600 })
            #expect(published.contains { $0.id == first } == (hours <= 24))
            #expect((try await vault.prekey(first, of: server) != nil) == (hours <= 48))
        }
        let left = try await database.read { try $0.query("SELECT id FROM prekey").map { try $0.integer("id") } }
        #expect(!left.contains(Int64(first)))
    }

    @Test("However often it is looked whether keys run out, no more are made than are needed")
    func noMoreThanNeeded() async throws {
        let (database, key, clock) = (try await misbehavingDatabase(), KeyEncryptionKey.random(), TestClock())
        let vault = try await Self.vault(database, key, clock)
        _ = try await vault.open(name: "Shop")
        for _ in 0..<6 {
            clock.advance(600)
            try await vault.renew()
        }
        let counts = try await database.read { connection in
            [try connection.query("SELECT id FROM prekey").count, try connection.query("SELECT id FROM server_key WHERE kind = 'op'").count]
        }
        #expect(counts == [1, 1])
    }

    @Test("Two nodes that renew at the same time make one key of a kind, and both read the same")
    func twoNodes() async throws {
        let (database, key, clock) = (try await misbehavingDatabase(), KeyEncryptionKey.random(), TestClock())
        let nodes = [try await Self.vault(database, key, clock), try await Self.vault(database, key, clock)]
        for node in nodes { _ = try await node.open(name: "Shop") }
        clock.advance(61 * Self.day)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for node in nodes + nodes { group.addTask { try await node.renew() } }
            try await group.waitForAll()
        }
        let counts = try await database.read { connection in
            [try connection.query("SELECT id FROM prekey").count, try connection.query("SELECT id FROM server_key WHERE kind = 'op'").count]
        }
        // The prekey of the beginning is erased; the operational key of the beginning has a month left.
        #expect(counts == [1, 2])
        let server = try await nodes[0].open(name: "Shop").id
        let chains = [try await nodes[0].keys(of: server).chain, try await nodes[1].keys(of: server).chain]
        #expect(chains[0].value.certificates.count == 2 && chains[0].bytes == chains[1].bytes)
    }

    @Test("A renewal reads the keys of a server once, and answers what others read after it: the new key beside the former until that is over")
    func readOnce() async throws {
        let (database, key, clock) = (CountingDatabase(try SQLiteDatabase.inMemory()), KeyEncryptionKey.random(), TestClock())
        let server = try await Self.vault(database, key, clock).open(name: "Shop")
        let store = KeyStore(database: database, key: key, rootKey: key)
        let former = try #require(try await store.load(server).operatorKeys.first).key.id
        // One that others find before the former.
        var fresh = FreshKeys(using: SystemRandomSource())
        while try !OperatorKey(seed: fresh.secrets[0]).id.lexicographicallyPrecedes(former) { fresh = FreshKeys(using: SystemRandomSource()) }
        for (days, count) in [(UInt64(61), 2), (40, 1)] {
            clock.advance(days * Self.day)
            _ = database.take()
            let told = try await store.renewed(server, with: count == 2 ? fresh : FreshKeys(using: SystemRandomSource()), at: clock.now)
            let asked = database.take().statements.filter { $0.hasPrefix("SELECT") && $0.contains("FROM server_key") }
            #expect(asked.count == 1, "\(asked)")
            let left = try await store.load(server)
            #expect(told.chain(at: clock.now).bytes == left.chain(at: clock.now).bytes && told.operatorKeys.count == count)
            #expect(told.operatorKeys.contains { $0.key.id == former } == (count == 2))
        }
    }

    @Test("A prekey whose number another server has already is not put in its place")
    func numberTaken() async throws {
        let (database, key, clock) = (try await misbehavingDatabase(), KeyEncryptionKey.random(), TestClock())
        let vault = try await Self.vault(database, key, clock)
        let server = try await vault.open(name: "Shop")
        let other = VirtualServer(
            id: ServerID(using: SystemRandomSource()), publicKey: server.publicKey, createdAt: clock.now, parameters: server.parameters)
        let store = KeyStore(database: database, key: key, rootKey: key)
        let fresh = FreshKeys(using: SystemRandomSource())
        let foreign = PrekeyRow(
            id: fresh.prekeyID, server: other.id, wrapped: [1], publishedUntil: clock.now + Self.day, erasedAt: clock.now + 2 * Self.day)
        try await SQLAuthenticationStore(database: database, key: key).write { rows in try rows.save(other) }
        try await database.transaction { connection, _ in try SQLKeyRows(connection).save(foreign) }
        clock.advance(13 * 3_600)
        let kept = try await store.renewed(server, with: fresh, at: clock.now)
        #expect(kept.prekeys.count == 1)
        #expect(try await database.read { try SQLKeyRows($0).prekey(fresh.prekeyID) } == foreign)
    }

    @Test("A root key in the database that is not the server's own certifies nothing")
    func strangeRoot() async throws {
        let (database, key, clock) = (try await misbehavingDatabase(), KeyEncryptionKey.random(), TestClock())
        let vault = try await Self.vault(database, key, clock)
        let server = try await vault.open(name: "Shop").id
        let id = KeyRow.ID(server: server, kind: KeyKind.root.name, id: [])
        let wrapped = try key.wrap(SystemRandomSource().bytes(32), context: "as/root/\(server.text)/")
        let strange = KeyRow(key: id, wrapped: wrapped, certificate: nil, notBefore: clock.now, notAfter: clock.now + Self.day)
        try await database.transaction { connection, _ in try SQLKeyRows(connection).save(strange) }
        clock.advance(61 * Self.day)
        await #expect(throws: ServerKeyError.noRoot) { try await vault.renew() }
    }

    @Test("A prekey is published under the key that signs now and with its own end, however many were signed before")
    func signedPrekeys() throws {
        let now = TestClock().now
        let (first, second) = (try OperatorKey(seed: Sample.bytes(1)), try OperatorKey(seed: Sample.bytes(2)))
        let signatures = PrekeySignatures()
        func prekey(_ id: UInt32, until: Instant) throws -> StoredPrekey {
            StoredPrekey(secret: try PrekeySecret(id: id, secret: Sample.bytes(3)), publishedUntil: until, erasedAt: until)
        }
        let cases = try [prekey(7, until: now), prekey(7, until: now + 1), prekey(8, until: now)].flatMap { [($0, first), ($0, second)] }
        for _ in 0..<2 {
            for (prekey, key) in cases {
                let published = signatures.published(prekey, signedBy: key)
                #expect(published.value.id == prekey.secret.id && published.value.notAfter == prekey.publishedUntil)
                #expect(published.value.signature.keyID == key.id)
                let (signature, bytes) = (published.value.signature, published.bytes)
                try EdwardsPublicKey(key.publicKey).verify(
                    signature.ed25519, Prekey.label, Array(bytes.dropLast(signature.encoded.count)))
            }
            for id in 0..<UInt32(PrekeySignatures.memory) { _ = signatures.published(try prekey(100 + id, until: now), signedBy: first) }
        }
    }

    @Test("A prekey that two nodes read of is kept once")
    func keptOnce() throws {
        let root = try RootKey(seed: Sample.bytes(9), serverID: ServerID(using: SystemRandomSource())).root
        let now = TestClock().now
        let prekey = StoredPrekey(secret: try PrekeySecret(id: 7, secret: Sample.bytes(3)), publishedUntil: now, erasedAt: now)
        var keys = StoredKeys(root: root, operatorKeys: [], sidKey: Sample.bytes(4), prekeys: [])
        for _ in 0..<2 { keys.add(prekey) }
        #expect(keys.prekeys.count == 1)
    }

    @Test("A chain shows no key that is over, also when nobody has renewed since, and is the encoding of what it shows")
    func chains() throws {
        let now = TestClock().now
        let root = try RootKey(seed: Sample.bytes(9), serverID: ServerID(using: SystemRandomSource()))
        let certified = try [UInt64(1), 2].map { days in
            let key = try OperatorKey(seed: Sample.bytes(UInt8(days)))
            return CertifiedKey(key: key, certificate: root.certify(key, from: now, until: now + days * Self.day))
        }
        let keys = StoredKeys(root: root.root, operatorKeys: certified, sidKey: Sample.bytes(4), prekeys: [])
        let looks: [(UInt64, [CertifiedKey])] = [(0, certified), (1, certified), (2, Array(certified.dropFirst())), (3, [])]
        for (days, shown) in looks {
            let chain = keys.chain(at: now + days * Self.day)
            #expect(chain.value.certificates == shown.map(\.certificate))
            #expect(chain.bytes == ServerChain(root: root.root, certificates: shown.map(\.certificate)).encoded)
        }
        #expect(keys.rootHash == root.root.hash && keys.tag == root.root.tag)
    }

    @Test("A prekey that another node of the server made is found by its id, and one that nobody made is not")
    func otherNode() async throws {
        let (database, key, clock) = (try await misbehavingDatabase(), KeyEncryptionKey.random(), TestClock())
        let first = try await Self.vault(database, key, clock)
        let server = try await first.open(name: "Shop").id
        let second = try await Self.vault(database, key, clock)
        _ = try await second.open(name: "Shop")
        clock.advance(13 * 3_600)
        try await second.renew()
        let newest = try #require(try await second.publishedPrekeys(of: server).last).value.id
        #expect(try await first.publishedPrekeys(of: server).allSatisfy { $0.value.id != newest })
        #expect(try await first.prekey(newest, of: server) != nil)
        #expect(try await first.publishedPrekeys(of: server).contains { $0.value.id == newest })
        #expect(try await first.prekey(newest &+ 1, of: server) == nil)
    }

    @Test(
        "After a clock that ran ahead, or fell behind, and was put right, there is a key that signs by it, and no prekey outlives its two days",
        arguments: [1, 10, 70, 400, -10] as [Int64])
    func clockPutRight(_ days: Int64) async throws {
        let (database, key, clock) = (try await misbehavingDatabase(), KeyEncryptionKey.random(), TestClock())
        let vault = try await Self.vault(database, key, clock)
        let server = try await vault.open(name: "Shop").id
        for jump in [days * 86_400, -days * 86_400] {
            clock.jump(jump)
            try await vault.renew()
            let keys = try await vault.keys(of: server)
            let chain = try OperatorKeys.verify(keys.chain.value, rootHash: try vault.rootHash(of: server))
            #expect(chain.hasKey(at: clock.now))
            for prekey in try await vault.publishedPrekeys(of: server) {
                try prekey.verify(with: chain, at: clock.now)
                #expect(prekey.value.notAfter <= clock.now + 86_400)
                #expect(try await vault.prekey(prekey.value.id, of: server) != nil)
            }
            #expect(try await !vault.publishedPrekeys(of: server).isEmpty)
        }
        let last = try await database.read { try $0.one("SELECT MAX(erased_at) AS last FROM prekey") }
        #expect(try #require(last).unsigned("last") <= clock.now.seconds + 2 * 86_400)
    }

    @Test("A server that was started without its root key knows at once until when it signs, and from when on the file is wanted")
    func rootKeyForgotten() async throws {
        let (database, key, clock, file) = (try await misbehavingDatabase(), KeyEncryptionKey.random(), TestClock(), KeyEncryptionKey.random())
        let with = try await Self.vault(database, key, clock, rootKey: file)
        _ = try await with.open(name: "Shop")
        #expect(try await with.missingRootKey() == nil)
        let without = try await Self.vault(database, key, clock)
        _ = try await without.open(name: "Shop")
        let end = (clock.now + 90 * Self.day).seconds
        let stages: [(UInt64, RootKeyMissing.Stage, String)] = [
            (0, .early, "nothing is due; start once with --root-key FILE after "),
            (61, .due, "start again with --root-key FILE, or the server cannot sign after "),
            (30, .over, "start again with --root-key FILE; the server has not been able to sign since "),
        ]
        for (days, stage, words) in stages {
            clock.advance(days * Self.day)
            let missing = try #require(try await without.missingRootKey())
            #expect(missing.stage == stage && missing.end == end && missing.description.contains(words), "\(missing)")
            if stage == .over {
                await #expect(throws: ServerKeyError.rootKeyApart) { try await without.checkSigners() }
            } else {
                try await without.checkSigners()
            }
        }
        try await with.checkSigners()
        try await without.reload()
        try await without.checkSigners()
    }

    @Test("The root key file of another database is refused at the start, also where none was kept apart; nothing is changed by it")
    func otherRootKey() async throws {
        let (key, clock, file) = (KeyEncryptionKey.random(), TestClock(), KeyEncryptionKey.random())
        for made in [file, nil] {
            let database = try await misbehavingDatabase()
            _ = try await Self.vault(database, key, clock, rootKey: made).open(name: "Shop")
            let wrong = try await Self.vault(database, key, clock, rootKey: .random())
            await #expect(throws: ServerKeyError.otherRootKey) { try await wrong.open(name: "Shop") }
            let right = try await Self.vault(database, key, clock, rootKey: made)
            _ = try await right.open(name: "Shop")
            #expect(try await right.missingRootKey() == nil)
        }
    }

    @Test("A new operational key is certified a month before the old one ends, and signs when no phone can have a bundle without it")
    func operatorKeys() async throws {
        let (database, key, clock) = (try await misbehavingDatabase(), KeyEncryptionKey.random(), TestClock())
        let vault = try await Self.vault(database, key, clock)
        let server = try await vault.open(name: "Shop").id
        let first = try await vault.keys(of: server)
        clock.advance(61 * Self.day)
        try await vault.renew()
        let published = try await vault.keys(of: server)
        #expect(published.operatorKey.id == first.operatorKey.id, "a phone may have a bundle of a minute ago")
        #expect(published.chain.value.certificates.count == 2)
        _ = try OperatorKeys.verify(published.chain.value, rootHash: try vault.rootHash(of: server))
        clock.advance(2 * Self.day)
        try await vault.renew()
        #expect(try await vault.keys(of: server).operatorKey.id == first.operatorKey.id, "prekeys of the bundle before it are opened for 48 hours")
        clock.advance(Self.day)
        let second = try await vault.keys(of: server)
        #expect(second.operatorKey.id != first.operatorKey.id)
        #expect(published.chain.value.certificates.contains { $0.id == second.operatorKey.id })
        clock.advance(27 * Self.day)
        try await vault.renew()
        #expect(try await vault.keys(of: server).chain.value.certificates.count == 1)
    }

    @Test("A root key that is kept apart is needed for certifying, and for nothing else")
    func rootApart() async throws {
        let (database, key, clock, file) = (try await misbehavingDatabase(), KeyEncryptionKey.random(), TestClock(), KeyEncryptionKey.random())
        let server = try await Self.vault(database, key, clock, rootKey: file).open(name: "Shop").id
        let without = try await Self.vault(database, key, clock)
        _ = try await without.open(name: "Shop")
        clock.advance(61 * Self.day)
        try await without.renew()
        _ = try await without.keys(of: server)
        clock.advance(30 * Self.day)
        await #expect(throws: ServerKeyError.rootKeyApart) { try await without.renew() }
        let prekeys = try await database.read { try SQLKeyRows($0).prekeys(of: server) }
        #expect(prekeys.count == 1 && prekeys.allSatisfy { clock.now < $0.publishedUntil }, "erased and made without it all the same")
        let with = try await Self.vault(database, key, clock, rootKey: file)
        _ = try await with.open(name: "Shop")
        _ = try await with.keys(of: server)
    }

    @Test("A clock that leaps beyond the operational key does not erase it while the root key is apart: put right, every node signs with it")
    func leapWithoutRootKey() async throws {
        let (database, key, clock, file) = (try await misbehavingDatabase(), KeyEncryptionKey.random(), TestClock(), KeyEncryptionKey.random())
        let server = try await Self.vault(database, key, clock, rootKey: file).open(name: "Shop").id
        let without = try await Self.vault(database, key, clock)
        _ = try await without.open(name: "Shop")
        let signer = try await without.keys(of: server).operatorKey.id
        clock.advance(100 * Self.day)
        await #expect(throws: ServerKeyError.rootKeyApart) { try await without.renew() }
        clock.jump(-100 * Int64(Self.day))
        for vault in [without, try await Self.vault(database, key, clock)] {
            try await vault.reload()
            #expect(try await vault.keys(of: server).operatorKey.id == signer)
        }
        // With the root key what is over goes, as ever.
        clock.advance(100 * Self.day)
        _ = try await Self.vault(database, key, clock, rootKey: file).open(name: "Shop")
        let left = try await database.read { try SQLKeyRows($0).keys(of: server) }.filter { $0.key.kind == KeyKind.op.name }
        #expect(left.count == 1 && left.allSatisfy { $0.key.id != signer })
    }

    @Test("Under another key-encryption key nothing opens, and nothing is written, which the others could not read: not when keys are due either")
    func otherKey() async throws {
        let (database, key, clock) = (try await misbehavingDatabase(), KeyEncryptionKey.random(), TestClock())
        let server = try await Self.vault(database, key, clock).open(name: "Shop").id
        func written() async throws -> [Int] {
            try await database.read { connection in
                let rows = SQLKeyRows(connection)
                let (keys, prekeys) = (try rows.keys(of: server), try rows.prekeys(of: server))
                return [keys.count] + prekeys.map { Int($0.id) }
            }
        }
        for days in [0, 1, 61, 100] as [UInt64] {
            clock.advance(days * Self.day)
            let before = try await written()
            let other = try await Self.vault(database, .random(), clock)
            await #expect(throws: UnwrapError.self) { try await other.open(name: "Shop") }
            #expect(try await written() == before)
            _ = try await Self.vault(database, key, clock).open(name: "Shop")
        }
    }
}
