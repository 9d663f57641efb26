import AuthServer
import Authentication
import Database
import OstiaryProtocol
import OstiaryTesting
import Testing

/// Each statement is a round trip where the database is another machine, and each commit a wait for its disk: who adds one says so here.
@Suite("What a login and an enrolment ask of the database")
struct StatementCountTests {
    @Test("A login by PIN over both servers: L1 looks, M1 looks, reserves and settles, L5 looks and logs in: 26 statements, 6 commits")
    func login() async throws {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        try await TwoServers.run(database: database) { servers in
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
            // Reserved, evaluated, proved.
            #expect(servers.secondFactorCommits.transactions == 3)
        }
    }

    @Test("An enrolment over both servers: the invitation, E1, M1, E3 and the code in the browser")
    func enrolment() async throws {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        try await TwoServers.run(database: database) { servers in
            _ = try await TestPhone(servers).enrol(try servers.nonce())
            let phone = try await TestPhone(servers)
            _ = database.take()
            _ = try await phone.enrol(try servers.nonce(), userID: "bob")
            expect(database.take(), reads: 2, commits: 5, statements: 35)
        }
    }

    private func expect(
        _ count: CountingDatabase.Count, reads: Int, commits: Int, statements: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(count.reads == reads && count.commits == commits, sourceLocation: sourceLocation)
        #expect(count.statements.count == statements, "\(count.statements.joined(separator: "\n"))", sourceLocation: sourceLocation)
    }
}
