import Dispatch
import Synchronization
import Testing

@testable import HTTPCalls

/// Names that nobody answers for, without a network: what looks them up comes back when the test says so.
@Suite("Names that are looked up ahead of a call", .timeLimit(.minutes(10)))
struct NameLookupsTests {
    /// Looks up what it is asked as long as the test wants, but for names that are found at once.
    private final class SilentNames: Sendable {
        private let asked = Mutex<[String]>([])
        private let gate = DispatchSemaphore(value: 0)
        private let begun: AsyncStream<Void>.Continuation
        let beginnings: AsyncStream<Void>

        init() { (beginnings, begun) = AsyncStream.makeStream(of: Void.self) }

        var names: [String] { asked.withLock { $0 } }

        func look(_ host: String) {
            asked.withLock { $0.append(host) }
            begun.yield()
            if host.hasPrefix("silent") { gate.wait() }
        }

        /// One lookup comes back.
        func answer() { gate.signal() }
    }

    @Test("A87 as long as a name is looked up no other lookup of it begins, however many calls want it, and another name is not held up")
    func once() async throws {
        let silent = SilentNames()
        let lookups = NameLookups { silent.look($0) }
        let calls = (0..<64).map { _ in lookups.end(of: "silent.example") }
        try await lookups.wait(for: "other.example")
        silent.answer()
        for call in calls { for await _ in call {} }
        #expect(silent.names.sorted() == ["other.example", "silent.example"])
        silent.answer()
        try await lookups.wait(for: "silent.example")
        #expect(silent.names.count == 3, "the next call asks anew")
    }

    @Test("A87 a call that is given up does not wait for the end of its lookup, nor does one that is made meanwhile begin another")
    func cancelled() async {
        let silent = SilentNames()
        let lookups = NameLookups { silent.look($0) }
        for _ in 0..<3 {
            let call = Task { try await lookups.wait(for: "silent.example") }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }
        for await _ in silent.beginnings { break }
        #expect(silent.names == ["silent.example"])
        silent.answer()
    }

    @Test("A call that was given up before goes no further either: not by a number, nor by a name that is found at once")
    func cancelledBefore() async {
        let silent = SilentNames()
        for host in ["127.0.0.1", "other.example"] {
            let (gate, opened) = AsyncStream.makeStream(of: Void.self)
            let call = Task {
                for await _ in gate {}
                try await NameLookups { silent.look($0) }.wait(for: host)
            }
            call.cancel()
            opened.finish()
            await #expect(throws: CancellationError.self) { try await call.value }
        }
    }

    @Test("A number is looked up nowhere")
    func numbers() async throws {
        let silent = SilentNames()
        for number in ["127.0.0.1", "::1", "2001:db8::a"] { try await NameLookups { silent.look($0) }.wait(for: number) }
        #expect(silent.names.isEmpty)
    }

    @Test("The system is asked for a name, and one that it does not have holds nobody up")
    func system() async throws {
        try await NameLookups().wait(for: "localhost")
        try await NameLookups().wait(for: "")
    }
}
