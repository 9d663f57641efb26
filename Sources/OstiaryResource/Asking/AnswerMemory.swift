import OstiaryProtocol
import Synchronization

/// Good answers of a provider, kept for the seconds that an API's developer allows, and under the hash of what was asked about. With a bound: what finds no
/// room is asked about each time.
final class AnswerMemory<Answer: Sendable>: Sendable {
    private struct Kept: Sendable {
        let answer: Answer
        let askedAt: Instant
    }

    private let most: Int
    private let longest: UInt64
    private let kept = Mutex<[[UInt8]: Kept]>([:])

    /// - Parameters:
    ///   - longest: seconds after which none is of use to anybody; 0 keeps nothing.
    ///   - most: how many are kept.
    init(longest: UInt64, most: Int = 10_000) {
        self.longest = longest
        self.most = most
    }

    /// What was answered less than `age` seconds ago. A clock that was put back makes no answer younger than it is by more than its distance.
    func answer(about secret: String, youngerThan age: UInt64, at now: Instant) -> Answer? {
        guard age > 0, longest > 0 else { return nil }
        let name = SHA(secret.utf8)
        return kept.withLock { kept in
            guard let found = kept[name], now.distance(to: found.askedAt) < min(age, longest) else { return nil }
            return found.answer
        }
    }

    /// - Parameter moment: when it was asked, not when the answer came: a stop in between is not yet in it.
    func keep(_ answer: Answer, about secret: String, askedAt moment: Instant) {
        guard longest > 0 else { return }
        let name = SHA(secret.utf8)
        kept.withLock { kept in
            if kept.count >= most { kept = kept.filter { moment.distance(to: $0.value.askedAt) < longest } }
            guard kept.count < most || kept[name] != nil else { return }
            kept[name] = Kept(answer: answer, askedAt: moment)
        }
    }
}
