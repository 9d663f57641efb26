import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Synchronization
import Testing

@testable import AuthServer

@Suite("Keys of tokens", .againWithLostCommits)
struct TokenKeyringTests {
    private static let day: UInt64 = 86_400
    private static let life = ProtectedAPI.longestLife

    /// One virtual server over one database, whose nodes have the clock of the test.
    private struct World: Sendable {
        let database: any Database
        let key = KeyEncryptionKey.random()
        let clock = TestClock()
        let server: ServerID
        let told = Told()

        init(isProvider: Bool = true) async throws {
            database = try await misbehavingDatabase()
            let clock = clock
            let vault = ServerVault(database: database, key: key, random: SystemRandomSource()) { clock.now }
            server = try await vault.open(name: "Shop").id
            if isProvider { try await save { _ in } }
        }

        var now: Instant { clock.now }

        /// An application that signs its users in.
        func save(_ change: (inout Application) -> Void) async throws {
            var application = Application(id: Sample.client, server: server, kind: .web, name: "Shop", authentication: .basic)
            change(&application)
            let saved = application
            try await SQLOAuthStore(database: database, key: key).write { rows in try rows.save(saved) }
        }

        func saveAPI(_ algorithm: SignatureAlgorithm) async throws {
            var api = ProtectedAPI(identifier: Sample.api, server: server, name: "Things")
            api.algorithm = algorithm
            let saved = api
            try await SQLOAuthStore(database: database, key: key).write { rows in try rows.save(saved) }
        }

        func node(_ key: KeyEncryptionKey? = nil) -> SQLTokenKeyring {
            let (clock, told) = (clock, told)
            return SQLTokenKeyring(
                database: database, key: key ?? self.key, random: SystemRandomSource(),
                audited: { entries in told.count.withLock { $0 += entries.count } },
                issuer: { "https://login.example/\($0.text)" }, clock: { clock.now })
        }

        /// A token that lives as long as one can, signed now.
        func token(by keys: TokenKeys, _ algorithm: SignatureAlgorithm = .es256) throws -> String {
            let claims = AccessTokenClaims(
                issuer: keys.issuer, subject: "alice", audiences: [Sample.api.text], clientID: Sample.client.text, issuedAt: now,
                expiresAt: now + TokenKeyringTests.life, id: "one", scope: "read", authentication: nil)
            return try keys.signer(algorithm).sign(claims.json, as: .accessToken)
        }

        /// How many rows there are of each kind of keys of tokens.
        func rows() async throws -> [String: Int] {
            let kinds = try await database.read { connection in
                try connection.query("SELECT kind FROM server_key WHERE kind LIKE 'token-%'").map { try $0.text("kind") }
            }
            return kinds.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    private final class Told: Sendable {
        let count = Mutex(0)
    }

    @Test("An algorithm that was named a moment ago signs at once, at each node, and its key is published; one that nobody named does not")
    func newAlgorithm() async throws {
        let world = try await World()
        let (node, other) = (world.node(), world.node())
        for each in [node, other] { #expect(try await each.keys(of: world.server).signers.keys.map(\.rawValue) == ["ES256"]) }
        try await world.saveAPI(.edDSA)
        // In the same second: what is in memory is young.
        #expect(try await node.keys(of: world.server).signers[.edDSA] == nil)
        for each in [node, other] {
            let keys = try await each.keys(of: world.server, signingBy: .edDSA)
            let token = try world.token(by: keys, .edDSA)
            #expect(Self.isVerified(token, by: try await each.keys(of: world.server)))
            #expect(Self.isVerified(token, by: try await node.keys(of: world.server)))
        }
        #expect(try await world.rows()["token-eddsa"] == 1)
        let keys = try await node.keys(of: world.server, signingBy: .rs256)
        #expect(throws: NoSigner.self) { try keys.signer(.rs256) }
        #expect(try await world.rows()["token-rs256"] == nil)
    }

    private static func isVerified(_ token: String, by keys: TokenKeys) -> Bool {
        (try? UnverifiedJWS(compact: token).verified(by: keys.published, as: .accessToken)) != nil
    }

    private static func names(_ keys: TokenKeys) -> [String] { keys.published.keys.map { $0.id ?? "" } }
    private static func signing(_ keys: TokenKeys) throws -> String { try keys.signer(.es256).key.id ?? "" }

    @Test("Where nobody made an application or an API there are no keys, and none are made by asking", arguments: [false, true])
    func off(byAPI: Bool) async throws {
        let world = try await World(isProvider: false)
        let node = world.node()
        await #expect(throws: NoProvider()) { try await node.keys(of: world.server) }
        await #expect(throws: NoProvider()) { try await node.replace(world.server, by: .backend) }
        try await node.renew()
        #expect(try await world.rows().isEmpty)
        #expect(try await node.facts(of: world.server).isEmpty)
        if byAPI { try await world.saveAPI(.es256) } else { try await world.save { _ in } }
        let keys = try await node.keys(of: world.server)
        #expect(keys.issuer == "https://login.example/\(world.server.text)")
        #expect(Array(keys.signers.keys) == [.es256])
        #expect(try Self.names(keys) == [Self.signing(keys)])
        #expect(try await world.rows() == ["token-es256": 1, "token-secret": 1])
        await #expect(throws: NoProvider()) { try await node.keys(of: ServerID(using: SystemRandomSource())) }
    }

    @Test("An algorithm has a key from when an API or an application asks for it, and the one that every client knows signs first in the list")
    func algorithms() async throws {
        let world = try await World()
        let node = world.node()
        let before = try await node.keys(of: world.server)
        #expect(throws: NoSigner.self) { try before.signer(.rs256) }
        try await world.saveAPI(.edDSA)
        try await world.save { $0.idTokenAlgorithm = .rs256 }
        world.clock.advance(SQLTokenKeyring.freshness)
        let keys = try await node.keys(of: world.server)
        #expect(keys.published.keys.map(\.algorithm) == [.es256, .edDSA, .rs256])
        #expect(try Self.signing(keys) == Self.signing(before))
        for algorithm in SignatureAlgorithm.allCases { #expect(try Self.isVerified(world.token(by: keys, algorithm), by: keys)) }
        #expect(try await world.rows() == ["token-es256": 1, "token-eddsa": 1, "token-rs256": 1, "token-secret": 1])
        #expect(try await Self.names(world.node().keys(of: world.server)) == Self.names(keys))
    }

    @Test("Over a year keys change, each is published a day before it signs, and no token outlives what it is verified by, at any node")
    func year() async throws {
        let world = try await World()
        let (working, other) = (world.node(), world.node())
        var shown: [Set<String>] = []
        var signed: [(token: String, end: Instant)] = []
        var signers: [String] = []
        for today in 0...UInt64(365) {
            try await working.renew()
            let keys = try await other.keys(of: world.server)
            let name = try Self.signing(keys)
            if signers.last != name {
                #expect(!signers.contains(name))
                if let yesterday = shown.last { #expect(yesterday.contains(name), "day \(today)") }
                signers.append(name)
            }
            #expect(Self.names(keys).first == name && keys.published.keys.count <= 3)
            shown.append(Set(Self.names(keys)))
            signed.removeAll { $0.end < world.now }
            if today.isMultiple(of: 5) { signed.append((try world.token(by: keys), world.now + Self.life)) }
            if today.isMultiple(of: 10) {
                #expect(signed.allSatisfy { Self.isVerified($0.token, by: keys) }, "day \(today)")
                let mine = try await working.keys(of: world.server)
                #expect(Self.names(mine) == Self.names(keys))
            }
            world.clock.advance(Self.day)
        }
        #expect(signers.count == 5)
        #expect(try await world.rows()["token-secret"] == 1)
    }

    @Test("What signs comes first in the list, then what will, then what did; the last is gone when nothing lives any more that it signed")
    func order() async throws {
        let world = try await World()
        let node = world.node()
        let first = try Self.signing(try await node.keys(of: world.server))
        world.clock.advance(88 * Self.day)
        try await node.renew()
        let announced = Self.names(try await node.keys(of: world.server))
        #expect(announced.count == 2 && announced.first == first)
        let facts = try await node.facts(of: world.server)
        #expect(facts.map(\.id) == announced && facts.map(\.use) == [.signs, .next] && facts.map(\.algorithm) == [.es256, .es256])
        #expect(facts.map(\.signsFrom) == [facts[0].signsUntil - 90 * Self.day, world.now + Self.day])
        #expect(facts.allSatisfy { $0.publishedUntil >= $0.signsUntil + Self.life })
        world.clock.advance(Self.day)
        let changed = Self.names(try await node.keys(of: world.server))
        #expect(changed == Array(announced.reversed()))
        #expect(try await node.facts(of: world.server).map(\.use) == [.signs, .former])
        // The first would have signed for a day more.
        world.clock.advance(Self.day + Self.life)
        try await node.renew()
        #expect(try await Self.names(node.keys(of: world.server)) == changed)
        world.clock.advance(2 * KeyKind.clockSlack)
        try await node.renew()
        #expect(try await Self.names(node.keys(of: world.server)) == [changed[0]])
        #expect(try await world.rows()["token-es256"] == 1)
    }

    @Test("A server that stood for months signs as soon as it is asked, by one key for all of its nodes")
    func afterLong() async throws {
        let world = try await World()
        _ = try await world.node().keys(of: world.server)
        world.clock.advance(200 * Self.day)
        let nodes = [world.node(), world.node()]
        let signers = try await withThrowingTaskGroup(of: String.self) { group in
            for node in nodes + nodes { group.addTask { try Self.signing(try await node.keys(of: world.server)) } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(signers.count == 1)
        #expect(try await world.rows() == ["token-es256": 1, "token-secret": 1])
    }

    @Test(
        "After a clock that ran ahead, or fell behind, and was put right, there is a key that signs by it, and what was signed in between is verified",
        arguments: [1, 10, 70, 400, -10] as [Int64])
    func clockPutRight(_ days: Int64) async throws {
        let world = try await World()
        let (node, other) = (world.node(), world.node())
        let before = try world.token(by: try await node.keys(of: world.server))
        let secret = try await node.keys(of: world.server).derivation
        world.clock.jump(days * 86_400)
        try await node.renew()
        let between = try world.token(by: try await node.keys(of: world.server))
        world.clock.jump(-days * 86_400)
        try await node.renew()
        for keys in [try await node.keys(of: world.server), try await other.keys(of: world.server)] {
            #expect(try Self.isVerified(world.token(by: keys), by: keys))
            #expect(Self.isVerified(between, by: keys))
            // What was over by the wrong clock is gone.
            #expect(Self.isVerified(before, by: keys) == (days < 120))
            let grant = Sample.grantID(1)
            #expect(keys.derivation.refreshToken(of: grant, generation: 0).text == secret.refreshToken(of: grant, generation: 0).text)
        }
        let made = try #require(try await world.rows()["token-es256"])
        #expect(made <= 2)
    }

    @Test("In an emergency new keys sign and the former are shown to nobody, at once here and within seconds elsewhere; who is logged in stays so")
    func emergency() async throws {
        let world = try await World()
        let (node, other) = (world.node(), world.node())
        world.clock.advance(SQLTokenKeyring.freshness)
        let before = try await node.keys(of: world.server)
        _ = try await other.keys(of: world.server)
        let token = try world.token(by: before)
        // Also the one that was announced.
        world.clock.advance(88 * Self.day)
        try await node.renew()
        let announced = Self.names(try await other.keys(of: world.server))
        #expect(announced.count == 2)
        try await node.replace(world.server, by: .backend)
        let after = try await node.keys(of: world.server)
        #expect(try Self.names(after) == [Self.signing(after)])
        #expect(Set(Self.names(after)).isDisjoint(with: announced))
        let fresh = try world.token(by: after)
        #expect(!Self.isVerified(token, by: after) && Self.isVerified(fresh, by: after))
        let grant = Sample.grantID(1)
        let refresh = before.derivation.refreshToken(of: grant, generation: 3).text
        #expect(after.derivation.refreshToken(refresh) != nil)
        world.clock.advance(SQLTokenKeyring.freshness)
        #expect(try await Self.names(other.keys(of: world.server)) == Self.names(after))
        #expect(try await world.rows() == ["token-es256": 1, "token-secret": 1])

        try await node.replace(world.server, alsoSecret: true, by: .backend)
        let last = try await node.keys(of: world.server)
        #expect(last.derivation.refreshToken(refresh) == nil)
        #expect(!last.nonces.accepts(after.nonces.current(at: world.now), at: world.now))
        #expect(Set(Self.names(last)).isDisjoint(with: Self.names(after)))
        let store = SQLAuthenticationStore(database: world.database, key: world.key)
        let kinds = try await store.read { rows in try rows.auditEntries(of: world.server, limit: 9) }.map(\.kind)
        #expect(kinds == [.tokenKeysReplaced, .tokenKeysReplaced, .serverCreated])
        #expect(world.told.count.withLock { $0 } == 2)
    }

    @Test("Under another key-encryption key nothing opens, and a key that was put in another's place does not either")
    func otherKey() async throws {
        let world = try await World()
        _ = try await world.node().keys(of: world.server)
        await #expect(throws: UnwrapError.self) { try await world.node(.random()).keys(of: world.server) }
        try await world.database.transaction { connection, _ in
            try connection.execute(
                "UPDATE server_key SET secret = (SELECT secret FROM server_key WHERE kind = 'sid') WHERE kind = 'token-secret'", [])
        }
        await #expect(throws: UnwrapError.self) { try await world.node().keys(of: world.server) }
    }

    @Test("Where the secret of refresh tokens is gone, or the keys of the server, no other is made by asking; an emergency that ends them makes one")
    func goneSecret() async throws {
        let world = try await World()
        _ = try await world.node().keys(of: world.server)
        func remove(_ kind: String) async throws {
            try await world.database.transaction { connection, _ in try connection.execute("DELETE FROM server_key WHERE kind = $1", [.text(kind)]) }
        }
        try await remove("token-secret")
        await #expect(throws: ServerKeyError.tokenSecretGone) { try await world.node().keys(of: world.server) }
        #expect(try await world.rows() == ["token-es256": 1])
        try await world.node().replace(world.server, alsoSecret: true, by: .backend)
        #expect(try await world.rows() == ["token-es256": 1, "token-secret": 1])
        for kind in ["root", "token-es256", "token-secret"] { try await remove(kind) }
        await #expect(throws: ServerKeyError.keysGone) { try await world.node().keys(of: world.server) }
        #expect(try await world.rows().isEmpty)
    }

    @Test("A node makes keys for a server that has become a provider, and forgets rows of the provider, beside its answers")
    func background() async throws {
        try await ServersFixture.run { servers in
            let store = SQLOAuthStore(database: servers.database, key: .random())
            let (server, moment) = (servers.server, servers.now)
            await servers.runBackground()
            try await store.write { rows in
                try rows.save(Application(id: Sample.client, server: server, kind: .web, name: "Shop", authentication: .basic))
                _ = try rows.spend(Sample.bytes(1), by: Sample.redemption(1), until: moment - 1)
                _ = try rows.spend(Sample.bytes(2), by: Sample.redemption(1), until: moment)
            }
            await servers.runBackground()
            let (kinds, spent) = try await servers.database.read { connection in
                (
                    try connection.query("SELECT kind FROM server_key WHERE kind LIKE 'token-%' ORDER BY kind").map { try $0.text("kind") },
                    try connection.query("SELECT key FROM oauth_spent").map { try $0.blob("key") }
                )
            }
            #expect(kinds == ["token-es256", "token-secret"])
            #expect(spent == [Sample.bytes(2)])
        }
    }
}
