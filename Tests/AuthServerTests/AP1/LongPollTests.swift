import Authentication
import HTTPService
import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("Waiting for news", .timeLimit(.minutes(10)))
struct LongPollTests {
    private static let account = AccountID(using: SystemRandomSource())
    private let hub = SessionEventHub()

    private func poll(_ drain: DrainSignal = DrainSignal(), second: Duration = .milliseconds(1)) -> LongPoll {
        LongPoll(events: hub, drain: drain, second: second) { Instant(7) }
    }

    private func reply(_ text: String) -> Reply { Reply(body: Array(text.utf8)) }

    private func awaited(hold: UInt8, look: @Sendable @escaping () -> Void = {}) -> Awaited {
        Awaited(topics: [.account(Self.account)], hold: hold) {
            look()
            return .nothing(.success(Reply(body: Array("first".utf8)))) { now in Reply(body: Array("second at \(now.seconds)".utf8)) }
        }
    }

    @Test("News are told at once; who does not want to wait, or asks a server that is about to stop, hears at once that there are none")
    func once() async throws {
        let news = Awaited(topics: [], hold: 5) { .news(Reply(body: [1])) }
        #expect(try await poll().answer(news) == Reply(body: [1]))
        #expect(try await poll().answer(awaited(hold: 0)) == reply("first"))
        let stopping = DrainSignal()
        stopping.begin()
        #expect(try await poll(stopping).answer(awaited(hold: 5)) == reply("first"))
        #expect(try await poll().answer(awaited(hold: 5)) == reply("second at 7"))
    }

    @Test("Who waits for nothing that has come hears the refusal that goes with it")
    func refused() async throws {
        let pending = Awaited(topics: [], hold: 0) { .nothing(.failure(.accountPending)) { _ in throw Refusal.accountPending } }
        await #expect(throws: Refusal.accountPending) { try await poll().answer(pending) }
    }

    @Test("What happens while the first look is on its way ends the wait at once")
    func meanwhile() async throws {
        let waiting = awaited(hold: 255) { [hub] in hub.publish(SessionNews(.accountChanged, topics: [.account(Self.account)])) }
        #expect(try await poll(second: .seconds(60)).answer(waiting) == reply("second at 7"))
    }
}
