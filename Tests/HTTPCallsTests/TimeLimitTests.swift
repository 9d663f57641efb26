import Testing

@testable import HTTPCalls

@Suite("What has a time limit", .timeLimit(.minutes(10)))
struct TimeLimitTests {
    private struct Trouble: Error, Equatable {}

    @Test("Done in time it is what came of it, or the error of that, and nothing waits for the limit")
    func inTime() async throws {
        #expect(try await within(.seconds(3_600)) { 7 } == 7)
        await #expect(throws: Trouble()) { try await within(.seconds(3_600)) { () async throws -> Int in throw Trouble() } }
    }

    @Test("Given up it is told as a limit that has passed, which says nothing of whom was asked; what was under way is cancelled")
    func passed() async throws {
        let (never, end) = AsyncStream.makeStream(of: Void.self)
        let (ended, ending) = AsyncStream.makeStream(of: Bool.self)
        await #expect(throws: TimeLimitPassed(limit: .milliseconds(1))) {
            try await within(.milliseconds(1)) {
                for await _ in never {}
                ending.yield(Task.isCancelled)
            }
        }
        #expect(await ended.first { _ in true } == true)
        end.finish()
    }
}
