import AuthServer
import Authentication
import Database
import HTTPService
import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("Keys of the virtual servers (protocol §1)")
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
        let (database, key, clock) = (try SQLiteDatabase.inMemory(), KeyEncryptionKey.random(), TestClock())
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
        let (database, key, clock) = (try SQLiteDatabase.inMemory(), KeyEncryptionKey.random(), TestClock())
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

    @Test("A new operational key is certified a month before the old one ends, and phones can follow")
    func operatorKeys() async throws {
        let (database, key, clock) = (try SQLiteDatabase.inMemory(), KeyEncryptionKey.random(), TestClock())
        let vault = try await Self.vault(database, key, clock)
        let server = try await vault.open(name: "Shop").id
        let first = try await vault.keys(of: server)
        clock.advance(61 * Self.day)
        try await vault.renew()
        let second = try await vault.keys(of: server)
        #expect(second.operatorKey.id != first.operatorKey.id)
        #expect(second.chain.value.certificates.count == 2)
        _ = try OperatorKeys.verify(second.chain.value, rootHash: try vault.rootHash(of: server))
        clock.advance(30 * Self.day)
        try await vault.renew()
        #expect(try await vault.keys(of: server).chain.value.certificates.count == 1)
    }

    @Test("A root key that is kept apart is needed for certifying, and for nothing else")
    func rootApart() async throws {
        let (database, key, clock, file) = (try SQLiteDatabase.inMemory(), KeyEncryptionKey.random(), TestClock(), KeyEncryptionKey.random())
        let server = try await Self.vault(database, key, clock, rootKey: file).open(name: "Shop").id
        let without = try await Self.vault(database, key, clock)
        _ = try await without.open(name: "Shop")
        clock.advance(61 * Self.day)
        try await without.renew()
        _ = try await without.keys(of: server)
        clock.advance(30 * Self.day)
        await #expect(throws: ServerKeyError.rootKeyApart) { try await without.renew() }
        let with = try await Self.vault(database, key, clock, rootKey: file)
        _ = try await with.open(name: "Shop")
        _ = try await with.keys(of: server)
    }

    @Test("Under another key-encryption key nothing opens")
    func otherKey() async throws {
        let (database, clock) = (try SQLiteDatabase.inMemory(), TestClock())
        _ = try await Self.vault(database, .random(), clock).open(name: "Shop")
        let other = try await Self.vault(database, .random(), clock)
        await #expect(throws: UnwrapError.self) { try await other.open(name: "Shop") }
    }
}
