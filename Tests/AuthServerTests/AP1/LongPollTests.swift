import Authentication
import HTTPService
import Testing

@testable import AuthServer

@Suite("Waiting for news", .timeLimit(.minutes(10)))
struct LongPollTests {
    private func answered(isNews: Bool, hold: UInt8, drain: DrainSignal = DrainSignal()) async throws -> String {
        let poll = LongPoll(drain: drain, second: .milliseconds(1))
        let silence = SessionEventHub().subscribe(to: [])
        return try await poll.answer("first", isNews: isNews, hold: hold, subscription: silence) { "second" }
    }

    @Test("News are told at once; who does not want to wait, or asks a server that is about to stop, hears at once that there are none")
    func once() async throws {
        #expect(try await answered(isNews: true, hold: 5) == "first")
        #expect(try await answered(isNews: false, hold: 0) == "first")
        let stopping = DrainSignal()
        stopping.begin()
        #expect(try await answered(isNews: false, hold: 5, drain: stopping) == "first")
        #expect(try await answered(isNews: false, hold: 5) == "second")
    }
}
