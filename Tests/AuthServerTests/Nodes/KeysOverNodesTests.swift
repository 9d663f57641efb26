import Authentication
import Database
import HTTPTypes
import HummingbirdTesting
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Synchronization
import Testing

@testable import AuthServer

/// What a node keeps in memory must not be what another knows better. The clock stands, so nothing gets old.
@Suite("Servers and keys over several nodes", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(10)))
struct KeysOverNodesTests {
    private func bundle(of root: Root, at node: ServersFixture) async throws -> HTTPResponse.Status {
        try await node.get("/ap1/bundle/\(Base64URL.encode(root.hash))").status
    }

    @Test("A virtual server that was made at one node is used at another in the very next call: by its bundle, a phone's message, a backend")
    func madeElsewhere() async throws {
        try await NodesFixture.run(4) { nodes in
            let root = try await nodes.makeServer()
            #expect(try await bundle(of: root, at: nodes[1]) == .ok)
            // Nodes that were not asked before, each by another way.
            let link = try await nodes[2].services.sessions.loginLink(
                for: try nodes[2].nonce(), at: root.serverID, style: .moving, by: .backend, now: nodes.clock.now
            ).link
            #expect(link.value.serverTag == root.tag)
            let bytes = try await nodes[1].get("/ap1/bundle/\(Base64URL.encode(root.hash))").body
            let known = try VerifiedBundle.verify(Encoded(decoding: bytes), rootHash: root.hash, at: nodes.clock.now)
            let (ephemeral, raw) = (try TestPhone.ephemeral(), try RawPhone("Nokia", random: SystemRandomSource()))
            let server = KnownServer(root: root, prekey: try #require(known.prekey(at: nodes.clock.now)), keys: known.operatorKeys)
            let sealed = try server.seal(raw.looking(at: link, via: .scan).encoded, ephemeral, at: nodes.clock.now)
            let answer = try await nodes[3].post(sealed.bytes)
            #expect(answer.status == .ok)
            // Opened and answered as that server: this phone has no account there.
            _ = try sealed.open(answer.body, from: known.operatorKeys, clock: nodes.clock.now)
        }
    }

    @Test("A virtual server that was deleted at one node is refused at another in the very next call")
    func deletedElsewhere() async throws {
        try await NodesFixture.run(2) { nodes in
            let root = try await nodes.makeServer()
            let node = nodes[1]
            let id = root.serverID
            _ = try await node.services.sessions.loginLink(for: try node.nonce(), at: id, style: .moving, by: .backend, now: nodes.clock.now)
            try await nodes.databases[0].transaction { connection in
                for table in ["session", "prekey", "server_key"] {
                    try connection.execute("DELETE FROM \(table) WHERE server = $1", [.blob(id.bytes)])
                }
                try connection.execute("DELETE FROM server WHERE id = $1", [.blob(id.bytes)])
            }
            await #expect(throws: UnknownServer.self) {
                try await node.services.sessions.loginLink(for: try node.nonce(), at: id, style: .moving, by: .backend, now: nodes.clock.now)
            }
            await #expect(throws: UnknownServer.self) { try await node.services.servers.virtualServer(id) }
            #expect(try await bundle(of: root, at: node) == .notFound)
        }
    }

    @Test("A prekey that one node has just made opens a phone's message at another")
    func prekeys() async throws {
        try await NodesFixture.run(2) { nodes in
            let phone = try await TestPhone(nodes[0]).enrol(try nodes[0].nonce())
            let old = try #require(phone.phone.bundle.prekey(at: nodes.clock.now)).id
            nodes.clock.advance(13 * 3_600)
            await nodes[0].runBackground()
            let fresh = try await phone.refreshed()
            #expect(try #require(fresh.phone.bundle.prekey(at: nodes.clock.now)).id != old)
            #expect(try await fresh.moved(to: nodes[1]).logIn(try nodes[1].nonce()).result == .loggedIn)
        }
    }

    @Test("An operational key that one node has certified is in another's bundle after its next look, days before it signs; then it signs at both")
    func operatorKey() async throws {
        try await NodesFixture.run(2) { nodes in
            let (clock, day) = (nodes.clock, UInt64(86_400))
            let phone = try await TestPhone(nodes[0]).enrol(try nodes[0].nonce())
            // An hour before a new key is due.
            clock.advance(60 * day - 3_600)
            for node in nodes.nodes { await node.runBackground() }
            let former = try await nodes[1].bundle().bundle
            #expect(former.chain.certificates.count == 1)
            clock.advance(7_200)
            await nodes[0].runBackground()
            // Until the other looks, which it does every ten minutes, both sign with what both show.
            for (knowing, asked) in [(0, 1), (1, 0)] {
                let known = try await phone.moved(to: nodes[knowing]).refreshed()
                _ = try await known.moved(to: nodes[asked]).scan(try await nodes[asked].link(try nodes[asked].nonce()))
            }
            clock.advance(600)
            await nodes[1].runBackground()
            let shown = [try await nodes[0].bundle().bundle, try await nodes[1].bundle().bundle]
            #expect(shown[0].chain.certificates.count == 2 && shown[0].chain.certificates == shown[1].chain.certificates)
            #expect(shown.allSatisfy { $0.signature.keyID == former.signature.keyID })
            clock.advance(3 * day)
            for node in nodes.nodes { await node.runBackground() }
            let later = [try await nodes[0].bundle().bundle, try await nodes[1].bundle().bundle]
            #expect(later[0].signature.keyID != former.signature.keyID && later[0].signature.keyID == later[1].signature.keyID)
            // Whoever was shown it at either has it.
            #expect(shown[1].chain.certificates.contains { $0.id == later[0].signature.keyID })
        }
    }

    @Test("Where the operational key of all nodes is over, the first that is asked makes the next, and each other signs with it in its next answer")
    func operatorKeyOver() async throws {
        try await NodesFixture.run(3) { nodes in
            let phone = try await TestPhone(nodes[0]).enrol(try nodes[0].nonce())
            let former = try await nodes[1].bundle().bundle.signature.keyID
            nodes.clock.advance(100 * 86_400)
            let known = try await phone.refreshed()
            let fresh = known.phone.bundle.bundle
            #expect(fresh.signature.keyID != former && fresh.chain.certificates.count == 1)
            for node in [nodes[1], nodes[2]] {
                _ = try await known.moved(to: node).scan(try await node.link(try node.nonce()))
                #expect(try await node.bundle().bundle.chain.certificates == fresh.chain.certificates)
            }
        }
    }

    @Test("Keys of tokens that were replaced at one node sign nothing and are shown to nobody at another, in the very next answer")
    func tokenKeys() async throws {
        try await NodesFixture.run(2) { nodes in
            let (server, clock) = (nodes[0].server, nodes.clock)
            let application = Application(id: Sample.client, server: server, kind: .web, name: "Shop", authentication: .basic)
            try await SQLOAuthStore(database: nodes.databases[0], key: nodes.key).write { rows in try rows.save(application) }
            func keyring(_ number: Int) -> SQLTokenKeyring {
                SQLTokenKeyring(
                    database: nodes.databases[number], key: nodes.key, random: SystemRandomSource(), issuer: { "https://login.example/\($0.text)" },
                    clock: { clock.now })
            }
            let (here, there) = (keyring(0), keyring(1))
            func signing(_ keyring: SQLTokenKeyring) async throws -> [UInt8] {
                try await keyring.keys(of: server, signingBy: .es256).signer(.es256).key.thumbprint.bytes
            }
            let first = try await signing(here)
            #expect(try await signing(there) == first)
            try await here.replace(server, by: .backend)
            let second = try await signing(there)
            let own = try await signing(here)
            #expect(second != first && second == own)
            let shown = try await there.keys(of: server).published
            #expect(try await here.keys(of: server).published == shown)
            // What it made for itself another publishes: an algorithm that nobody had asked for.
            var api = ProtectedAPI(identifier: Sample.api, server: server, name: "Things")
            api.algorithm = .rs256
            let saved = api
            try await SQLOAuthStore(database: nodes.databases[0], key: nodes.key).write { rows in try rows.save(saved) }
            let key = try await there.keys(of: server, signingBy: .rs256).signer(.rs256).key
            #expect(try await here.keys(of: server).published.keys.contains(key))
        }
    }

    @Test("Of many who ask at once for what nobody knows, two looks are made: the one under way, and one for all who came since")
    func sharedLook() async throws {
        let (look, looks) = (SharedLook(), Looks())
        let (gates, open) = AsyncStream.makeStream(of: Void.self)
        async let first: Void = look.share {
            looks.begin()
            for await _ in gates { return }
        }
        while looks.count < 1 { await Task.yield() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<64 { group.addTask { try await look.share { looks.begin() } } }
            // All of them wait for a look that has not begun.
            for _ in 0..<1_000 { await Task.yield() }
            #expect(looks.count == 1)
            open.yield()
            try await group.waitForAll()
        }
        try await first
        #expect(looks.count >= 2 && looks.count <= 3)
        try await look.share { looks.begin() }
        #expect(looks.count >= 3 && looks.count <= 4)
    }
}

/// How often was looked.
private final class Looks: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }
    func begin() { number.withLock { $0 += 1 } }
}

extension NodesFixture {
    /// Another virtual server, made at the first node.
    func makeServer() async throws -> Root {
        let root = try await nodes[0].makeServer()
        await nodes[0].runBackground()
        return root
    }
}
