import Database
import HTTPService
import OstiaryProtocol
import OstiaryTesting
import SecondFactor
import Testing

@testable import SecondFactorServer

@Suite("What the second-factor server's statements look at")
struct StatementPlanTests {
    /// How instances are gone over for what lies ahead of the clock.
    private static let look = "SELECT id, last_seen FROM instance WHERE id >"

    private func work(of server: ServerFixture) async { for case let work as PeriodicTask in server.service.background { await work.round() } }

    /// The clock shows more for as long as one round of the work takes.
    private func leap(_ server: ServerFixture) async {
        server.clock.setWall(by: 864_000)
        await work(of: server)
        server.clock.setWall(by: -864_000)
    }

    @Test("No call, and none of the work of a minute, reads a table from end to end that has a row for each account, also once a clock was put right")
    func plans() async throws {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        let setting = try ServerFixture.Setting(policy: try Policy(maxAttempts: 2, penalties: []))
        try await ServerFixture.run(on: database, setting) { server in
            _ = database.take()
            let phone = try RawPhone("plans")
            try await server.enrol(phone)
            try await server.succeed(phone, sequence: 1)
            for sequence in UInt64(2)...3 { _ = try await server.guess(phone, sequence: sequence) }
            for message in [server.server.reset(phone.instance, at: server.now).bytes, server.server.close(phone.instance, at: server.now).bytes] {
                #expect(try await server.answer(server.server.call(message)).status == .ok)
            }
            await leap(server)
            await work(of: server)
            server.clock.advance(120)
            await work(of: server)
            let service = SecondFactorService(
                trustedRoots: [], store: SQLSecondFactorStore(database: database), policy: setting.policy, evaluator: setting.evaluator)
            _ = try await service.deleteExpired(at: server.now, resetRetention: 1)
            let statements = Set(database.take().statements)
            #expect(statements.count > 12 && statements.contains { $0.hasPrefix(Self.look) }, "\(statements.sorted())")
            for statement in statements.sorted() {
                let scans = try await scans(of: statement, on: database)
                #expect(scans.isEmpty, "\(statement)")
            }
        }
    }

    @Test("Instances are gone over once after a clock was put right, and in no other minute, nor after a start")
    func looks() async throws {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        try await ServerFixture.run(on: database, try ServerFixture.Setting()) { server in
            try await server.enrol(try RawPhone("looks"))
            func looks(after seconds: UInt64) async -> Int {
                _ = database.take()
                server.clock.advance(seconds)
                await work(of: server)
                return database.take().statements.count { $0.hasPrefix(Self.look) }
            }
            for seconds in [0, 120, 3_600] as [UInt64] { #expect(await looks(after: seconds) == 0) }
            await leap(server)
            #expect(await looks(after: 0) == 0, "it may be behind for a moment only")
            #expect(await looks(after: 120) == 1)
            #expect(await looks(after: 60) == 0)
        }
    }

    /// The steps of a statement's plan that read a table from end to end.
    private func scans(of statement: String, on database: CountingDatabase) async throws -> [String] {
        let plan = try await database.plan(of: statement)
        // A search that uses nothing is one for the largest of all.
        let scans = plan.filter { $0.hasPrefix("SCAN") || $0.hasPrefix("SEARCH") && !$0.contains("USING") }
        return scans.filter { !Self.few.contains($0) && !statement.contains("AS oldest") && !statement.contains("FROM sqlite_master") }
    }

    /// The server's own keys, a row for each month or year, and what there is of a schema. Of the log of resets so many rows at its beginning are looked at,
    /// the `oldest`.
    private static let few: Set = [
        "SCAN own_root", "SCAN own_operator_key", "SCAN own_prekey", "SCAN CONSTANT ROW", "SCAN schema_version",
    ]
}
