import Authentication
import Synchronization

/// A token service that answers what a test says, and remembers what it was asked.
final class FixtureTokenService: Sendable {
    private struct State {
        var asked: [TokenServiceCall] = []
        var answer: @Sendable (TokenServiceCall) async -> ServiceAnswer = { _ in .bytes([1, 2, 3]) }
    }

    private let state = Mutex(State())

    var asked: [TokenServiceCall] { state.withLock(\.asked) }

    /// What it answers from now on; meanwhile a test may do what it likes.
    func answer(_ body: @Sendable @escaping (TokenServiceCall) async -> ServiceAnswer) { state.withLock { $0.answer = body } }

    @Sendable
    func ask(_ call: TokenServiceCall) async -> ServiceAnswer {
        let answer = state.withLock { state in
            state.asked.append(call)
            return state.answer
        }
        return await answer(call)
    }
}
