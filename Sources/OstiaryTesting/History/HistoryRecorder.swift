import Synchronization

/// The one observer of all callers of a test. Its clock is a parameter: nodes may believe of the time what they like.
package final class HistoryRecorder<Model: SequentialModel>: Sendable {
    private let kept = Mutex<[Model.Call]>([])
    private let now: @Sendable () -> Duration

    /// - Parameter now: a time that never goes back.
    package init(now: @escaping @Sendable () -> Duration) { self.now = now }

    /// What was seen so far, in the order in which it was over.
    package var calls: [Model.Call] { kept.withLock { $0 } }

    package func note(_ call: Model.Call) { kept.withLock { $0.append(call) } }

    /// Watches a call from before it is made until its answer is there.
    /// - Parameter body: throws ``NeverSent`` where nothing was sent; whatever else it throws leaves it unknown what became of the call.
    /// - Returns: the answer; nil when there was none.
    @discardableResult
    package func watch(
        _ caller: String, _ key: String, _ action: Model.Action, _ body: () async throws -> Model.Answer
    ) async -> Model.Answer? {
        let invoked = now()
        let outcome: Model.Call.Outcome
        do { outcome = .answered(try await body(), at: now()) } catch is NeverSent { outcome = .neverSent } catch { outcome = .unknown }
        note(ObservedCall(caller, key, action, invoked: invoked, outcome))
        return if case .answered(let answer, _) = outcome { answer } else { nil }
    }
}

/// A call of which it is certain that nobody received it.
package struct NeverSent: Error {
    package init() {}
}
