import OstiaryTesting
import Testing

@Suite("The clock of one process, bent", .enabled(if: FakedClock.isInstalled, "libfaketime is not installed (make setup)"))
struct FakedClockTests {
    @Test("A server whose clock leaps by ten days knows it while it runs, checks no PIN meanwhile, and does again when its clock is right")
    func leap() async throws {
        let pair = try await ProcessesFixture()
        let clock = try FakedClock(pair.folder.file("clock"))
        try await pair.start(clock.environment, shell: "exec \"$0\" \"$@\"")
        try clock.leap(by: 864_000)
        try await eventually("the other server's clock is another one") {
            try await pair.report("/ready?for=logins&full=1").body.contains("differ by more than two minutes")
        }
        try clock.leap(by: 0)
        try await eventually("all is well again") { await pair.readiness() == 200 }
        #expect(try await pair.report("/ready?full=1").body.contains("the clock is behind"))
        try await pair.stop()
        FakedClock.sweep()
    }
}
