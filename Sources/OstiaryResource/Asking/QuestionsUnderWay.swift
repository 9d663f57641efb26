import Synchronization

/// Bounds the questions of one kind that are under way: where the one who is asked is slow, or strangers send made-up tokens as fast as they like, the next
/// hears at once that nobody can say, instead of waiting in a line that grows.
final class QuestionsUnderWay: Sendable {
    private let count = Mutex(0)

    /// - Throws: ``Outage/tooManyQuestions``, and whatever asking does.
    func asking<Answer>(_ ask: () async throws(Outage) -> Answer) async throws(Outage) -> Answer {
        let mayAsk = count.withLock { count in
            guard count < ResourceCall.mostQuestions else { return false }
            count += 1
            return true
        }
        guard mayAsk else { throw .tooManyQuestions }
        defer { count.withLock { $0 -= 1 } }
        return try await ask()
    }
}
