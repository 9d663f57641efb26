import Authentication
import Synchronization

/// A service behind the virtual server that answers what a test says, and remembers what it was asked.
final class FixtureService<Call: Sendable>: Sendable {
    private struct State {
        var asked: [Call] = []
        var answer: @Sendable (Call) async -> ServiceAnswer
    }

    private let state: Mutex<State>

    /// - Parameter body: what it answers as long as no test says otherwise.
    init(_ body: @Sendable @escaping (Call) async -> ServiceAnswer) { state = Mutex(State(answer: body)) }

    var asked: [Call] { state.withLock { $0.asked } }

    /// What it answers from now on; meanwhile a test may do what it likes.
    func answer(_ body: @Sendable @escaping (Call) async -> ServiceAnswer) { state.withLock { $0.answer = body } }

    @Sendable
    func ask(_ call: Call) async -> ServiceAnswer {
        let answer = state.withLock { state in
            state.asked.append(call)
            return state.answer
        }
        return await answer(call)
    }
}
