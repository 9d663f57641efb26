import Database
import HTTPService
import OstiaryProtocol
import OstiaryTesting
import SecondFactorServer
import Testing

@Suite("Whose blocks were lifted")
struct ResetDaysTests {
    @Test("Is kept for as many days as the operator says and goes by itself then; for ever if nobody says", arguments: [UInt64(0), 7])
    func days(_ days: UInt64) async throws {
        let (database, clock) = (try SQLiteDatabase.inMemory(), TestClock())
        let node = try await SecondFactorNode(
            SecondFactorNodeSettings(trustedRoots: [], resetDays: days), over: database, key: .random(), by: clock)
        let written = clock.now
        try await database.transaction { connection -> Void in
            try connection.execute(
                "INSERT INTO reset_log (instance_id, server_id, granted_at, highest, proven) VALUES ($1, $1, $2, 5, 0)",
                [.blob([UInt8](repeating: 1, count: 16)), .integer(Int64(written.seconds))])
        }
        func kept() async throws -> Int {
            try await database.read { try $0.one("SELECT COUNT(*) AS resets FROM reset_log")?.int("resets") ?? 0 }
        }
        func clean() async { for case let work as PeriodicTask in node.background { await work.round() } }
        clock.advance(7 * 86_400)
        await clean()
        #expect(try await kept() == 1)
        clock.advance(1)
        await clean()
        #expect(try await kept() == (days == 0 ? 1 : 0))
    }
}
