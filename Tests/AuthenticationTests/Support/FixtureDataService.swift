import Authentication
import Synchronization

/// A Data Service that answers what a test says, and remembers what it was asked.
final class FixtureDataService: Sendable {
    private struct State {
        var asked: [DataServiceCall] = []
        var answer: @Sendable (DataServiceCall) async -> ServiceAnswer = { .bytes($0.payload.reversed()) }
    }

    private let state = Mutex(State())

    var asked: [DataServiceCall] { state.withLock(\.asked) }

    /// What it answers from now on; meanwhile a test may do what it likes.
    func answer(_ body: @Sendable @escaping (DataServiceCall) async -> ServiceAnswer) { state.withLock { $0.answer = body } }

    @Sendable
    func ask(_ call: DataServiceCall) async -> ServiceAnswer {
        let answer = state.withLock { state in
            state.asked.append(call)
            return state.answer
        }
        return await answer(call)
    }
}
