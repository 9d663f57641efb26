import OstiaryTesting

/// When the clock of which node was wrong.
///
/// To such a node sessions are over whose time has run out by its clock, and to the others those that a clock behind theirs has begun. They say so, and are asked
/// again when all clocks are right; what they wrote down meanwhile is over for everybody. So what was only said meanwhile by such a node, or of what it may have
/// written, is no word for good (docs/operations.md, Clocks). Nothing else is forgiven: nobody is found logged in who was logged out.
struct Leaps {
    private struct Span {
        let node: String
        let from: Duration
        let until: Duration

        func meets(_ began: Duration, _ ended: Duration) -> Bool { began <= until && ended >= from }
    }

    private var spans: [Span] = []

    mutating func note(_ node: String, from began: Duration, until ended: Duration) { spans.append(Span(node: node, from: began, until: ended)) }

    /// When that was, for who reads of a fault.
    var description: String { spans.map { "\($0.from) to \($0.until) at \($0.node)" }.joined(separator: ", ") }

    var isEmpty: Bool { spans.isEmpty }

    /// The calls without what was only said by a wrong clock, or of what one may have written.
    func sound(_ calls: [AliveUntilStopped.Call]) -> [AliveUntilStopped.Call] {
        let byKey = Dictionary(grouping: calls, by: \.key)
        return calls.filter { call in
            guard call.action == .read, call.answer == .over, let returned = call.returned else { return true }
            return !spans.contains { span in
                guard span.meets(call.invoked, returned) else { return false }
                // A node whose clock is right has an excuse only where the other one was asked about the same thing.
                return Self.mayBe(call, at: span.node) || byKey[call.key, default: []].contains { Self.wasAsked($0, in: span) }
            }
        }
    }

    /// Whether some clock was wrong at some moment of these, at whichever node.
    func isWrong(from began: Duration, until ended: Duration) -> Bool { spans.contains { $0.meets(began, ended) } }

    /// Whether the node that was asked was wrong meanwhile, or may have been where nobody knows which it was.
    /// - Parameter last: until when one that nobody heard an answer to may have arrived.
    func isWrong<Action, Answer>(_ call: ObservedCall<Action, Answer>, until last: Duration) -> Bool {
        spans.contains { Self.mayBe(call, at: $0.node) && $0.meets(call.invoked, call.returned ?? last) }
    }

    private static func wasAsked(_ call: AliveUntilStopped.Call, in span: Span) -> Bool {
        guard mayBe(call, at: span.node) else { return false }
        // Of one that nobody heard an answer to nobody knows when it arrived.
        return call.returned.map { span.meets(call.invoked, $0) } ?? (call.invoked <= span.until)
    }

    /// Whether this node may be the one that was asked. Phones say none: theirs is the one that answers.
    private static func mayBe<Action, Answer>(_ call: ObservedCall<Action, Answer>, at node: String) -> Bool {
        let parts = call.caller.split(separator: " at ")
        guard parts.count > 1, let place = parts.last else { return true }
        // What was special about the call may follow.
        return place.split(separator: ",").first.map { String($0) } == node
    }
}
