import Authentication
import Database
import HTTPService
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import AuthServer

@Suite("Logins in memory", .timeLimit(.minutes(10)))
struct SessionViewTests {
    private static let seeds: ClosedRange<UInt64> = 1...10
    private static let writes = 70

    /// Lends a database in a file, whose readers do not wait for its writer.
    private static func withFile(_ body: (SQLiteDatabase) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let database = try await SchemaTemplate.authentication.file(folder.file("as.sqlite"), readers: 2)
        try await body(database)
        try await database.close()
    }

    private static func history(seed: UInt64, _ fault: ViewHistory.Fault? = nil) async throws -> ViewHistory.Found {
        let found = Mutex(ViewHistory.Found())
        try await withFile { database in
            let all = try await ViewHistory(on: database, seed: seed, fault: fault).run(writes: writes)
            found.withLock { $0 = all }
        }
        return found.withLock(\.self)
    }

    @Test(
        "A96 Whatever is written, kept, taken back or refused by the disk, and wherever a reader stands still: each is told what was true at some moment of its question",
        arguments: seeds)
    func right(seed: UInt64) async throws {
        let found = try await Self.history(seed: seed)
        #expect(found.lies.isEmpty, "seed \(seed)")
        #expect(found.known > 50, "seed \(seed): hardly anything came out of memory")
        #expect(found.failed > 0, "seed \(seed): no commit failed")
    }

    @Test(
        "A96 That test finds each fault: dropped too late, filled with what is old or was never kept, a table forgotten, time not looked at",
        arguments: ViewHistory.Fault.allCases)
    func wrong(fault: ViewHistory.Fault) async throws {
        for seed in Self.seeds {
            if try await !Self.history(seed: seed, fault).lies.isEmpty { return }
        }
        Issue.record("\(fault) was not found")
    }

    @Test("A96 Views are made of the tables that are watched, and of no other")
    func tables() async throws {
        try await Self.withFile { database in
            let used = try await database.read { connection in
                // What a statement opens stands in its program by the page at which the table or index begins.
                let pages = try connection.query("EXPLAIN \(SQLRows.view)", [.null, .null]).compactMap { step in
                    try ["OpenRead", "ReopenIdx"].contains(step.text("opcode")) ? try step.integer("p2") : nil
                }
                let places = try connection.query("SELECT tbl_name, rootpage FROM sqlite_schema WHERE rootpage > 0")
                return Set(try places.filter { try pages.contains($0.integer("rootpage")) }.map { try $0.text("tbl_name") })
            }
            #expect(used == Set(SessionViews.watched.map(\.table)))
        }
    }

    private static let account: UInt8 = 1

    /// A database with as many logins as said, the views of it, and how it is asked.
    private static func withLogins(
        _ count: Int, most: KeptViews.Bounds = .ofServer, notes: SessionNotes = .none,
        _ body: (SQLiteDatabase, SessionViews, _ ask: (Int) -> (isRead: Bool, isLoggedIn: Bool)) async throws -> Void
    ) async throws {
        try await withFile { database in
            let (key, salt) = (KeyEncryptionKey.random(), WrapSalt())
            try await database.transaction { connection in
                let rows = SQLRows(connection, key: key, salt: salt)
                try rows.save(Sample.account(account))
                for number in 0..<count { try logIn(number, notes, in: rows) }
            }
            let views = SessionViews(most: most)
            #expect(try await database.watch(SessionViews.watched, by: views))
            try await body(database, views) { number in
                var isRead = false
                let view = views.view(nonceHash: hash(number), of: Sample.server) {
                    isRead = true
                    return SQLRows.viewAtOnce(nonceHash: hash(number), of: Sample.server, in: database)
                }
                return (isRead, OneView(view: view).told(at: Sample.now).isLoggedIn)
            }
        }
    }

    private static func hash(_ number: Int) -> [UInt8] { SHA("nonce \(number)".utf8) }

    private static func logIn(_ number: Int, _ notes: SessionNotes, in rows: SQLRows) throws {
        let id = SessionID(Array(hash(number).prefix(16)))!
        let login = Login(
            account: Sample.accountID(account), binding: .qrDynamic, at: Sample.now, methods: .pin, verifiedAt: Sample.now, decision: Sample.bytes(7),
            deadline: Sample.now + 300, lastPing: Sample.now, lastStamp: Sample.now)
        try rows.save(
            Session(
                id: id, server: Sample.server, nonceHash: hash(number), stream: nil, purpose: .login, request: LoginRequest(notes: notes),
                startedAt: Sample.now, state: .loggedIn(login)))
        try rows.save(NoncePointer(server: Sample.server, hash: hash(number), kind: .chosen, session: id, run: 0))
    }

    @Test("A login is read once; who is not logged in, and who is not there, each time")
    func readOnce() async throws {
        try await Self.withLogins(2) { database, views, ask in
            #expect(ask(0) == (true, true))
            for _ in 0..<3 { #expect(ask(0) == (false, true)) }
            for _ in 0..<2 { #expect(ask(7) == (true, false)) }
            try await database.transaction { try $0.execute("UPDATE session SET state = 0 WHERE nonce_hash = $1", [.blob(Self.hash(1))]) }
            for _ in 0..<2 { #expect(ask(1) == (true, false)) }
            #expect(views.size.count == 1)
            // The same nonce of another server is another one.
            #expect(views.view(nonceHash: Self.hash(0), of: ServerID(Sample.bytes(9, 16))!) { nil } == nil)
        }
    }

    @Test("It is the store that answers out of memory: what another hand writes into the file past the server is not seen before the row changes")
    func store() async throws {
        try await Self.withLogins(1) { database, views, _ in
            let store = SQLAuthenticationStore(database: database, key: .random(), views: views, audited: { _ in })
            let isLoggedIn = { OneView(view: store.viewAtOnce(nonceHash: Self.hash(0), of: Sample.server)).told(at: Sample.now).isLoggedIn }
            #expect(isLoggedIn())
            let hand = try SQLiteDatabase.open(path: database.place, ownership: .shared)
            try await hand.transaction { try $0.execute("DELETE FROM nonce") }
            try await hand.close()
            #expect(isLoggedIn())
            try await database.transaction { try $0.execute("UPDATE session SET asked = 1") }
            #expect(!isLoggedIn())
        }
    }

    @Test("A change drops what is made of its row, one of an account all of its logins, and nothing else")
    func drops() async throws {
        try await Self.withLogins(6) { database, views, ask in
            for number in 0..<6 { _ = ask(number) }
            try await database.transaction { try $0.execute("DELETE FROM nonce WHERE hash = $1", [.blob(Self.hash(0))]) }
            try await database.transaction { try $0.execute("UPDATE session SET asked = 1 WHERE nonce_hash = $1", [.blob(Self.hash(1))]) }
            try await database.transaction { try $0.execute("DELETE FROM pin_cache") }
            #expect(views.size.count == 4)
            #expect(ask(0) == (true, false) && ask(1) == (true, true) && ask(2) == (false, true))
            try await database.transaction { try $0.execute("UPDATE account SET blocked = 1") }
            #expect(views.size == (0, 0))
            #expect(ask(2) == (true, true))
        }
    }

    @Test("More logins than there is room for: the bounds hold, and whoever is asked for all the time stays")
    func bounds() async throws {
        try await Self.withLogins(60, most: KeptViews.Bounds(count: 20, bytes: 1 << 20)) { _, views, ask in
            _ = ask(0)
            for number in 1..<60 {
                _ = ask(number)
                #expect(ask(0) == (false, true), "\(number)")
                #expect(views.size.count <= 20)
            }
            #expect(views.size.count == 20)
            // From the newest on: whoever is not there any more comes back in the place of another.
            #expect((40..<60).reversed().prefix { !ask($0).isRead }.count >= 15)
        }
    }

    @Test("Bytes are bounded, too: long texts take more room, and one that takes too much is not kept")
    func bytes() async throws {
        let long = SessionNotes(info: [Announcement(key: "a", text: String(repeating: "x", count: 3_000))])
        let most = KeptViews.Bounds(count: 1_000, bytes: 500_000)
        try await Self.withLogins(200, most: most, notes: long) { _, views, ask in
            for number in 0..<200 {
                _ = ask(number)
                #expect(views.size.bytes <= most.bytes)
            }
            #expect((100...130).contains(views.size.count))
        }
        try await Self.withLogins(1, most: KeptViews.Bounds(count: 1_000, bytes: 400_000), notes: long) { _, views, ask in
            for _ in 0..<2 { #expect(ask(0) == (true, true)) }
            #expect(views.size == (0, 0))
        }
    }

    /// How often something is written of a login with such a note that is asked for three times.
    private static func written(noting text: String) async throws -> Int {
        let count = Mutex(0)
        try await withLogins(1, notes: SessionNotes(info: [Announcement(key: "a", text: text)])) { database, views, _ in
            for _ in 0..<3 {
                let view = views.view(nonceHash: hash(0), of: Sample.server) {
                    SQLRows.viewAtOnce(nonceHash: hash(0), of: Sample.server, in: database)
                }
                let said = OneView(view: view).text(at: Sample.now) { status in
                    count.withLock { $0 += 1 }
                    return JSONWriter.bytes(status.write)
                }
                #expect((said?.count ?? 0) > text.utf8.count)
            }
            #expect(views.size.count == 1)
        }
        return count.withLock(\.self)
    }

    @Test("A96 What is said of a login is written once and takes no more room than was counted: where it would, the rows stay in its place")
    func room() async throws {
        for text in ["x", String(repeating: "x", count: 3_000), String(repeating: "é", count: 1_500)] {
            #expect(try await Self.written(noting: text) == 1)
        }
        // Each byte of it is said in six.
        #expect(try await Self.written(noting: String(repeating: "<", count: 3_000)) == 3)
    }

    @Test("A transaction that writes more rows than are noted drops everything, keeps everything out until it has ended, and not longer")
    func manyRows() async throws {
        try await Self.withLogins(1) { database, views, ask in
            _ = ask(0)
            try await database.transaction { connection in
                for _ in 0..<10_001 {
                    try connection.execute(
                        "INSERT INTO nonce (server, hash, kind, session, run) VALUES (randomblob(16), randomblob(32), 1, randomblob(16), 0)")
                }
                for _ in 0..<2 { #expect(SQLRows.viewAtOnce(nonceHash: Self.hash(0), of: Sample.server, in: database) != nil) }
                #expect(views.size.count == 0)
                let view = views.view(nonceHash: Self.hash(0), of: Sample.server) {
                    SQLRows.viewAtOnce(nonceHash: Self.hash(0), of: Sample.server, in: database)
                }
                #expect(view != nil && views.size.count == 0)
            }
            #expect(ask(0) == (true, true) && ask(0) == (false, true))
        }
    }

    @Test("After a step of the schema nothing is kept any more")
    func schema() async throws {
        try await Self.withLogins(1) { database, views, ask in
            _ = ask(0)
            try await database.transaction { try $0.execute("CREATE TABLE another (id INTEGER)") }
            for _ in 0..<2 { #expect(ask(0) == (true, true)) }
            #expect(views.size.count == 0)
        }
    }
}
