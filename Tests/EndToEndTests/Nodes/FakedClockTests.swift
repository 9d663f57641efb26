import Database
import OstiaryTesting
import Testing

@Suite("The clock of one process, bent")
struct FakedClockTests {
    @Test("A server whose clock leaps by ten days knows it while it runs, checks no PIN meanwhile, and does again when its clock is right")
    func leap() async throws {
        let pair = try await ProcessesFixture()
        let clock = try await FakedClock(pair.folder.file("clock"))
        try await pair.start(clock.environment)
        try clock.leap(by: 864_000)
        try await eventually("the other server's clock is another one") {
            try await pair.report("/ready?for=logins&full=1").body.contains("differ by more than two minutes")
        }
        try clock.leap(by: 0)
        try await eventually("all is well again") { await pair.readiness() == 200 }
        #expect(try await pair.report("/ready?full=1").body.contains("the clock is behind"))
        try await pair.stop()
    }

    /// A turn of the lease is counted up in the background when half a minute has gone by for that node, or its clock has fallen behind.
    @Test(
        "A server goes on with its work in the background whatever its clock shows, and again when that is right",
        .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL is installed"), arguments: [864_000, -3_600])
    func background(_ seconds: Int) async throws {
        let pair = try await ProcessesFixture(on: .postgresql)
        let clock = try await FakedClock(pair.folder.file("clock"))
        try await pair.start(clock.environment)
        let database = try await pair.openDatabase()
        let turn = { @Sendable () async throws -> Int64? in
            try await database.read { try $0.one("SELECT turn FROM lease WHERE name = 'background'")?.integer("turn") }
        }
        try await eventually("it works in the background") { try await turn() != nil }
        for wrong in [seconds, seconds + 60, seconds + 120, 0, 60] {
            let before = try #require(try await turn())
            try clock.leap(by: wrong)
            try await eventually("it still works, \(wrong) s beside the right time") { try await turn() ?? 0 > before }
        }
        try await database.close()
        try await pair.stop()
    }
}
