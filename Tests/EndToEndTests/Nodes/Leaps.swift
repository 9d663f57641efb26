import OstiaryTesting

/// When the clock of a node was wrong.
///
/// To such a node sessions are over whose time has run out by its clock, and to the others those that a clock behind theirs has begun. They say so, and are asked
/// again when all clocks are right; what they wrote down meanwhile is over for everybody. So what anybody only said meanwhile is no word for good (docs/operations.md,
/// Clocks). Nothing else is forgiven: nobody is found logged in who was logged out.
struct Leaps {
    private var spans: [(from: Duration, until: Duration)] = []

    mutating func note(from began: Duration, until ended: Duration) { spans.append((began, ended)) }

    /// When that was, for who reads of a fault.
    var description: String { spans.map { "\($0.from) to \($0.until)" }.joined(separator: ", ") }

    /// The calls without what was only said by a wrong clock, or of what one wrote.
    func sound(_ calls: [AliveUntilStopped.Call]) -> [AliveUntilStopped.Call] { calls.filter { !isOfWrongClock($0) } }

    private func isOfWrongClock(_ call: AliveUntilStopped.Call) -> Bool {
        guard call.action == .read, call.answer == .over, let returned = call.returned else { return false }
        return isWrong(from: call.invoked, until: returned)
    }

    /// Whether one was wrong at some moment of these.
    func isWrong(from began: Duration, until ended: Duration) -> Bool { spans.contains { began <= $0.until && ended >= $0.from } }

    /// The call as one of which nobody knows, where it was refused while a clock was wrong: to that one everything may be too old, and it does nothing then.
    func doubted<Action: Hashable & Sendable, Answer: Hashable & Sendable>(
        _ call: ObservedCall<Action, Answer>, where refusal: Answer
    ) -> ObservedCall<Action, Answer> {
        guard call.answer == refusal, let returned = call.returned, isWrong(from: call.invoked, until: returned) else { return call }
        return ObservedCall(call.caller, call.key, call.action, invoked: call.invoked, .unknown)
    }
}
