import AuthServer
import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import Testing

/// Each statement is a round trip where the database is another machine, and each commit a wait for its disk: who adds one says so here.
@Suite("What a login, an enrolment and a start ask of the database")
struct StatementCountTests {
    @Test("A login by PIN over both servers: L1 looks, M1 looks, reserves and settles, L5 looks and logs in: 26 statements, 5 commits")
    func login() async throws {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        try await ServersFixture.run(database: database) { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            try await phone.logIn(try servers.nonce())
            servers.clock.advance(60)
            let link = try await servers.link(try servers.nonce())
            _ = database.take()
            servers.secondFactorCommits.lose(.none)
            let shown = try await phone.scan(link)
            expect(database.take(), reads: 1, commits: 0, statements: 2)
            let attempt = try shown.attempt()
            #expect(try await phone.phone.evaluate(attempt).status == .ok)
            expect(database.take(), reads: 1, commits: 2, statements: 10)
            _ = try await shown.send(try shown.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt)))
            expect(database.take(), reads: 1, commits: 1, statements: 14)
            // Counted, proved.
            #expect(servers.secondFactorCommits.transactions == 2)
        }
    }

    @Test("An enrolment over both servers: the invitation, E1, M1, E3 and the code in the browser")
    func enrolment() async throws {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        try await ServersFixture.run(database: database) { servers in
            _ = try await TestPhone(servers).enrol(try servers.nonce())
            let phone = try await TestPhone(servers)
            _ = database.take()
            _ = try await phone.enrol(try servers.nonce(), userID: "bob")
            expect(database.take(), reads: 2, commits: 5, statements: 37)
        }
    }

    @Test("An offline code: 12 statements and a commit when it is right, 10 when it is wrong, and the same ones for a reference that names nobody")
    func offlineCode() async throws {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        try await ServersFixture.run(database: database) { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            try await servers.switchOfflineCodesOn()
            let nonce = try servers.nonce()
            _ = try await servers.link(nonce)
            let code = try await servers.offlineCode(of: phone.account, for: nonce)
            let wrong: String = code.dropLast() + (code.hasSuffix("0") ? "1" : "0")
            let nobodys: String = (code.hasPrefix("0") ? "1" : "0") + code.dropFirst()
            _ = database.take()
            #expect(try await servers.refusal(ofTyping: wrong, for: nonce) == .wrong(left: 2))
            let known = database.take()
            expect(known, reads: 0, commits: 1, statements: 10)
            #expect(try await servers.refusal(ofTyping: nobodys, for: nonce) == .wrong(left: 1))
            #expect(database.take() == known)
            #expect(try await servers.refusal(ofTyping: code, for: nonce) == nil)
            expect(database.take(), reads: 0, commits: 1, statements: 12)
        }
    }

    @Test("Nothing of what phones and backends ask for reads a table from end to end, and neither does the housekeeping")
    func plans() async throws {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        try await ServersFixture.run(database: database) { servers in
            _ = database.take()
            let nonce = try servers.nonce()
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let session = try #require(try await phone.logIn(nonce).sessionID)
            _ = try await servers.status(of: nonce)
            _ = try await servers.services.servers.servers()
            _ = try await servers.services.servers.server(servers.server)
            _ = try await phone.ping(session)
            try await phone.stop(session)
            try await phone.logInApp()
            _ = try await servers.services.sessions.logOut(nonce, at: servers.server, by: .backend, now: servers.now)
            try await servers.switchOfflineCodesOn()
            _ = try await servers.link(nonce)
            _ = try await servers.refusal(ofTyping: try await servers.offlineCode(of: phone.account, for: nonce), for: nonce)
            _ = try await servers.services.accounts.delete(phone.account, at: servers.server, by: .backend, now: servers.now)
            try await servers.services.housekeeping.run(at: servers.now)
            let statements = Set(database.take().statements)
            #expect(statements.count > 40)
            for statement in statements.sorted() {
                let scans = try await scans(of: statement, on: database)
                #expect(scans.isEmpty, "\(statement)")
            }
        }
    }

    @Test("What waits for a phone, and what became of it, is found by an index: at a Fetch, at a poll, and for clients that are told by ping")
    func waiting() async throws {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        try await ServersFixture.run(database: database) { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let client = try await AskingClient(at: servers)
            _ = database.take()
            let begun = try await client.ask()
            _ = try await phone.fetch()
            _ = try await client.poll(begun)
            try await servers.service.provider.pushedDecisions.run(at: servers.now)
            let marks = ["open_for IS NOT NULL", "wrong_numbers > 0", "ping_address IS NOT NULL"]
            let statements = Set(database.take().statements.filter { statement in marks.contains { statement.contains($0) } })
            #expect(statements.count == 4, "\(statements.sorted())")
            for statement in statements.sorted() {
                let scans = try await scans(of: statement, on: database)
                #expect(scans.isEmpty, "\(statement)")
            }
        }
    }

    @Test("A start reads no table from end to end that has a row for each account, and takes no longer where there are many")
    func start() async throws {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        try await ServersFixture.run(database: database) { servers in
            _ = try await TestPhone(servers).enrol(try servers.nonce())
            _ = database.take()
            _ = try await servers.start()
            // But that which makes the table of the steps, where there is none, and what is asked of the catalogue alone.
            let statements = Set(
                database.take().statements.filter { !$0.hasPrefix("CREATE TABLE IF NOT EXISTS") && !$0.contains("FROM sqlite_master") })
            #expect(statements.count > 5, "\(statements.sorted())")
            for statement in statements.sorted() {
                let tables = try await scans(of: statement, on: database).map { $0.split(separator: " ").dropFirst().first.map(String.init) ?? $0 }
                #expect(Self.readAtStart.isSuperset(of: tables), "\(statement): \(tables)")
            }
        }
    }

    /// Sessions, for the newest moment that one bears; the rest has some rows for each virtual server, or for each table. Another name of a table is none of
    /// these.
    private static let readAtStart: Set = ["session", "prekey", "server_key", "schema_version", "schema_reader"]

    /// The steps of a statement's plan that read a table from end to end.
    private func scans(of statement: String, on database: CountingDatabase) async throws -> [String] {
        let plan = try await database.plan(of: statement)
        return plan.filter { $0.hasPrefix("SCAN") && !Self.bounded.contains($0) }
    }

    /// The audit trail, of which so many rows at its beginning are looked at; the sessions that began last, by their index; a handful of servers.
    private static let bounded: Set = ["SCAN audit", "SCAN oldest", "SCAN server", "SCAN CONSTANT ROW"]

    private func expect(
        _ count: CountingDatabase.Count, reads: Int, commits: Int, statements: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(count.reads == reads && count.commits == commits, sourceLocation: sourceLocation)
        #expect(count.statements.count == statements, "\(count.statements.joined(separator: "\n"))", sourceLocation: sourceLocation)
    }
}
