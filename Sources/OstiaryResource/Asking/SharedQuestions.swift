import OstiaryProtocol
import Synchronization

/// Makes one question of many about the same: however many callers come with one token at once, whoever knows is asked by one of them.
///
/// A caller shares a question that was not asked yet, or was asked so lately that its answer would do if it were remembered. An older one they don't share,
/// though it goes on: what happened since, a logout or a stop, is not in its answer. They share the next, which begins when that one has ended. So about one
/// token there is one question at a time, and where nothing is remembered a stop is seen by the next request all the same.
final class SharedQuestions<Answer: Sendable>: Sendable {
    typealias Ask = @Sendable () async throws(Outage) -> Answer

    /// A question, and its answer for everybody who shares it.
    final class Question: Sendable {
        /// When it was wanted first; it is asked then or later.
        let askedAt: Instant
        private let task: Task<Result<Answer, Outage>, Never>

        /// A task of its own: that the caller who began it goes away ends it for nobody else.
        fileprivate init(askedAt moment: Instant, after former: Question?, ended: @escaping @Sendable () -> Void, _ ask: @escaping Ask) {
            askedAt = moment
            task = Task {
                await former?.end()
                let result = await Question.result(of: ask)
                ended()
                return result
            }
        }

        /// - Throws: what asking threw, to each who shares it.
        func answer() async throws(Outage) -> Answer { try await task.value.get() }

        private func end() async { _ = await task.value }

        private static func result(of ask: Ask) async -> Result<Answer, Outage> {
            do throws(Outage) { return .success(try await ask()) } catch { return .failure(error) }
        }
    }

    /// The question that is being asked, and the one that comes after it, which nobody has asked yet.
    private struct Line {
        let current: Question
        var next: Question?
    }

    private let lines = Mutex<[[UInt8]: Line]>([:])

    /// The question to wait for.
    /// - Parameters:
    ///   - secret: what it is about.
    ///   - age: seconds that its answer may be old; 0 for none that was asked before.
    func question(about secret: String, youngerThan age: UInt64, at now: Instant, ask: @escaping Ask) -> Question {
        let name = SHA(secret.utf8)
        return lines.withLock { lines in
            let line = lines[name]
            if let current = line?.current, now.distance(to: current.askedAt) < age { return current }
            if let next = line?.next { return next }
            let question = Question(askedAt: now, after: line?.current, ended: { [self] in ended(name) }, ask)
            lines[name] = line.map { Line(current: $0.current, next: question) } ?? Line(current: question)
            return question
        }
    }

    /// The next becomes the current one before it is asked.
    private func ended(_ name: [UInt8]) { lines.withLock { lines in lines[name] = lines[name]?.next.map { Line(current: $0) } } }
}
