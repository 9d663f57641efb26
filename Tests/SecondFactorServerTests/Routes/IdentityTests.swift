import Database
import HTTPService
import Logging
import OstiaryProtocol
import OstiaryTesting
import SecondFactor
import Testing

@testable import SecondFactorServer

@Suite("Identity of the server")
struct IdentityTests {
    private static let hour: UInt64 = 3_600
    private static let day: UInt64 = 86_400

    @Test("It is made once and stays over restarts; the command prints the same hash")
    func stays() async throws {
        let folder = try TemporaryFolder()
        let setting = try ServerFixture.Setting()
        var hashes: Set<[UInt8]> = []
        for _ in 0..<2 {
            let database = try openFile(folder.file("sf.sqlite"))
            hashes.insert(try await ServerFixture.run(on: database, setting) { $0.service.identityHash })
            let text = try await SecondFactorOperator(database: database, logger: .init(label: "test")).identityText(
                keyEncryptionKey: setting.keyEncryptionKey, at: setting.clock.now)
            hashes.insert(try #require(Base64URL.decode(text)))
            try await database.close()
        }
        #expect(hashes.count == 1)
    }

    @Test("It is made once, also where nobody knows whether the commit was kept that made it", arguments: LosingDatabase.Loss.allCases)
    func lostCommit(_ loss: LosingDatabase.Loss) async throws {
        let (database, setting) = (LosingDatabase(try openInMemory()), try ServerFixture.Setting())
        try await database.migrate(secondFactorMigrations)
        let keys = IdentityRenewal(
            store: SQLSecondFactorStore(database: database), keyEncryptionKey: setting.keyEncryptionKey, rootSeed: nil, random: SeededRandom("lost"))
        database.lose(.each(loss))
        let made = try await keys.renewed(at: setting.clock.now)
        #expect(database.losses == 1)
        let found = try await keys.renewed(at: setting.clock.now)
        #expect(found.root.hash == made.root.hash && found.published == made.published)
    }

    @Test("A root that is taken from beneath a server that runs is not made anew: it says so, and goes on when it is back; beneath a start likewise")
    func gone() async throws {
        let (database, setting) = (try openInMemory(), try ServerFixture.Setting())
        try await database.migrate(secondFactorMigrations)
        let keys = IdentityRenewal(
            store: SQLSecondFactorStore(database: database), keyEncryptionKey: setting.keyEncryptionKey, rootSeed: nil, random: SeededRandom("gone"))
        let keeper = IdentityKeeper(keys)
        let before = try await keeper.identity(at: setting.clock.now)
        func expectGone() async {
            // What is in memory holds for a minute.
            setting.clock.advance(61)
            await #expect(throws: IdentityError.rootGone) { try await keeper.identity(at: setting.clock.now) }
        }
        try await database.transaction { try $0.execute("CREATE TABLE kept AS SELECT * FROM own_root") }
        try await database.transaction { try $0.execute("DELETE FROM own_root") }
        await expectGone()
        // A start has known none, and finds keys that another root has certified.
        await #expect(throws: IdentityError.keysOfAnotherRoot) { try await keys.renewed(at: setting.clock.now) }
        let roots = try await database.read { try $0.query("SELECT * FROM own_root").count }
        #expect(roots == 0)
        // Another server's database in its place.
        let other = IdentityRenewal(
            store: SQLSecondFactorStore(database: database), keyEncryptionKey: setting.keyEncryptionKey, rootSeed: nil, random: SeededRandom("other"))
        try await database.transaction { try $0.execute("CREATE TABLE kept_keys AS SELECT * FROM own_operator_key") }
        try await database.transaction { try $0.execute("DELETE FROM own_operator_key") }
        _ = try await other.renewed(at: setting.clock.now)
        await expectGone()
        for table in ["own_root", "own_operator_key"] { try await database.transaction { try $0.execute("DELETE FROM \(table)") } }
        try await database.transaction { try $0.execute("INSERT INTO own_root SELECT * FROM kept") }
        try await database.transaction { try $0.execute("INSERT INTO own_operator_key SELECT * FROM kept_keys") }
        setting.clock.advance(61)
        #expect(try await keeper.identity(at: setting.clock.now).root == before.root)
    }

    @Test("Another key-encryption key than the database's is refused in one line")
    func otherKey() async throws {
        let database = try openInMemory()
        try await ServerFixture.run(on: database, ServerFixture.Setting()) { _ in }
        await #expect(throws: IdentityError.unreadableKey) {
            try await ServerFixture.run(on: database, ServerFixture.Setting()) { _ in }
        }
        let words = IdentityError.unreadableKey.description
        #expect(words.contains("copy that of the first node here. Never make a new one") && words.contains("OSTIARY_SF_KEK_FILE"))
        #expect(!words.contains("OSTIARY_KEK_FILE") && !words.contains("\n"))
    }

    @Test("A prekey is published for a day and opened for two; then a request to it is refused, and its row is gone")
    func prekeys() async throws {
        let database = try openInMemory()
        try await ServerFixture.run(on: database, ServerFixture.Setting()) { stage in
            let phone = try RawPhone("prekeys")
            try await stage.enrol(phone)
            let old = try await stage.identity()
            #expect(old.prekey.notAfter == stage.now + Self.day)
            stage.clock.advance(13 * Self.hour)
            let newer = try await stage.identity()
            #expect(newer.prekeys.count == 2)
            #expect(newer.prekey.id != old.prekey.id)
            stage.clock.advance(34 * Self.hour)
            let opened = try phone.ask(phone.question(), old, at: stage.now)
            #expect(try await stage.answer(stage.server.ticketCall(opened, sequence: 1, at: stage.now)).status == .ok)
            stage.clock.advance(Self.hour)
            let erased = try phone.ask(phone.question(), old, at: stage.now)
            #expect(try await stage.answer(stage.server.ticketCall(erased, sequence: 2, at: stage.now)).status == .refused)
            let rows = try await database.read { try $0.query("SELECT id FROM own_prekey").map { try $0.integer("id") } }
            #expect(!rows.contains(Int64(old.prekey.id)))
        }
    }

    @Test("The operational key is renewed before it ends, old receipts still count, and the expired private key is erased")
    func operatorKeys() async throws {
        let database = try openInMemory()
        try await ServerFixture.run(on: database, ServerFixture.Setting()) { stage in
            let phone = try RawPhone("renewal")
            try await stage.enrol(phone)
            let receipt = try await stage.succeed(phone, sequence: 1)
            let first = receipt.value.signature.keyID
            stage.clock.advance(61 * Self.day)
            let early = try await stage.succeed(phone, sequence: 2, receipt: receipt)
            #expect(early.value.signature.keyID == first, "a key signs when everybody has met it, not when it is certified")
            #expect(try SecondFactorIdentity(decoding: try await stage.identity().bytes).chain.certificates.count == 2)
            stage.clock.advance(60 * Self.day)
            let chain = try SecondFactorIdentity(decoding: try await stage.identity().bytes).chain
            #expect(!chain.certificates.contains { $0.id == first })
            // As after a restore: the rows know less than the receipt.
            try await database.transaction { try $0.execute("UPDATE instance SET proven = 0, proven_by_pin = 0") }
            let repaired = try await stage.guess(phone, sequence: 3, receipt: receipt)
            #expect(repaired.tries.failed == 2)
            let seeds = try await database.read {
                try $0.one("SELECT COUNT(*) AS kept FROM own_operator_key WHERE wrapped_seed IS NOT NULL")?.int("kept")
            }
            #expect(seeds == 2)
        }
    }

    @Test("A root key kept apart is not in the database, serves while given, and is asked for when it is needed again")
    func rootKeyApart() async throws {
        let database = try openInMemory()
        let setting = try ServerFixture.Setting()
        let seed = SecretBytes(SeededRandom("root").bytes(32))
        let random = SeededRandom("apart")
        func identity(_ seed: SecretBytes?, at now: Instant) async throws -> OwnIdentity {
            let keys = IdentityRenewal(
                store: SQLSecondFactorStore(database: database), keyEncryptionKey: setting.keyEncryptionKey, rootSeed: seed, random: random)
            return try await keys.renewed(at: now)
        }
        try await database.migrate(secondFactorMigrations)
        let made = try await identity(seed, at: setting.clock.now)
        let stored = try await database.read { try $0.one("SELECT wrapped_seed FROM own_root")?.isNull("wrapped_seed") }
        #expect(stored == true)
        let apart = try await identity(nil, at: setting.clock.now)
        let end = setting.clock.now + 90 * Self.day
        for (days, stage) in [(0, .early), (59, .early), (60, .due), (90, .due), (91, .over)] as [(UInt64, RootKeyMissing.Stage)] {
            let missing = apart.missingRootKey(at: setting.clock.now + days * Self.day)
            #expect(missing?.end == end.seconds && missing?.begin == (end - 30 * Self.day).seconds && missing?.stage == stage, "\(days)")
        }
        #expect(made.missingRootKey(at: end) == nil)
        let later = setting.clock.now + 80 * Self.day
        #expect(try await identity(nil, at: later).operatorKey.id == made.operatorKey.id)
        await #expect(throws: IdentityError.rootKeyNeeded) { try await identity(nil, at: later + 20 * Self.day) }
        #expect(IdentityError.rootKeyNeeded.description.hasSuffix("start again with --root-key FILE"), "as serve says")
        await #expect(throws: IdentityError.otherRootKey) {
            try await identity(SecretBytes(SeededRandom("wrong").bytes(32)), at: later)
        }
        #expect(try await identity(seed, at: later).operatorKey.id == made.operatorKey.id, "certified now, and published for three days")
        #expect(try await identity(nil, at: later + 3 * Self.day).operatorKey.id != made.operatorKey.id)
    }

    @Test("The command prints the identity also after the end of the operational key, without the root key that certifies the next")
    func printedWithoutRootKey() async throws {
        let (database, setting) = (try openInMemory(), try ServerFixture.Setting())
        let command = SecondFactorOperator(database: database, logger: .init(label: "test"))
        func text(_ seed: SecretBytes?, after seconds: UInt64) async throws -> String {
            try await command.identityText(keyEncryptionKey: setting.keyEncryptionKey, rootSeed: seed, at: setting.clock.now + seconds)
        }
        let seed = SecretBytes(SeededRandom("root").bytes(32))
        let made = try await text(seed, after: 0)
        #expect(try await text(nil, after: 200 * Self.day) == made)
        #expect(try await text(seed, after: 200 * Self.day) == made)
    }

    @Test("The private half of an operational key is erased when it ends, also when nothing else is due")
    func endedKeyAlone() async throws {
        let (database, setting) = (try openInMemory(), try ServerFixture.Setting())
        try await database.migrate(secondFactorMigrations)
        let keys = IdentityRenewal(
            store: SQLSecondFactorStore(database: database), keyEncryptionKey: setting.keyEncryptionKey, rootSeed: nil, random: SeededRandom("ended"))
        func seeds() async throws -> Int? {
            try await database.read { try $0.one("SELECT COUNT(*) AS kept FROM own_operator_key WHERE wrapped_seed IS NOT NULL")?.int("kept") }
        }
        let end = setting.clock.now + KeyLifetimes.operatorKey
        for moment in [setting.clock.now, setting.clock.now + 61 * Self.day, end - 60] { _ = try await keys.renewed(at: moment) }
        #expect(try await seeds() == 2)
        _ = try await keys.renewed(at: end + 60)
        #expect(try await seeds() == 1)
    }

    @Test("A request for another server is not opened, though it was sealed to a prekey of this one")
    func otherServersTag() async throws {
        let (database, setting) = (try openInMemory(), try ServerFixture.Setting())
        try await database.migrate(secondFactorMigrations)
        let own = try await IdentityRenewal(
            store: SQLSecondFactorStore(database: database), keyEncryptionKey: setting.keyEncryptionKey, rootSeed: nil, random: SeededRandom("own")
        ).renewed(at: setting.clock.now)
        let published = try SecondFactorIdentity(decoding: own.published)
        let prekey = try #require(published.prekeys.first).value
        func request(for root: Root) throws -> [UInt8] {
            try SealedRequest([1], to: prekey, of: root, ephemeral: EphemeralKey(using: SeededRandom("phone")), at: setting.clock.now).bytes
        }
        #expect(own.open(try request(for: own.root))?.message == [1])
        #expect(own.open(try request(for: setting.server.root.root)) == nil)
    }

    @Test("A row whose device keys are cut is told as a broken row, and nothing is made of half a key")
    func cutRow() async throws {
        let database = try openInMemory()
        try await ServerFixture.run(on: database, ServerFixture.Setting()) { stage in
            let phone = try RawPhone("cut")
            try await stage.enrol(phone)
            try await database.transaction { try $0.execute("UPDATE instance SET device_keys = substr(device_keys, 1, 64)") }
            await #expect(throws: StoredRowError.instance) {
                try await SQLSecondFactorStore(database: database).situation(
                    of: phone.instance, attempt: AttemptID(using: SeededRandom("none")))
            }
        }
    }
}
