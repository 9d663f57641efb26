/// One call of a system under test, as the one observer of all callers saw it: what was asked, when, and what is known of how it went.
package struct ObservedCall<Action: Hashable & Sendable, Answer: Hashable & Sendable>: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
        /// The answer was there at this moment.
        case answered(Answer, at: Duration)
        /// Nobody knows whether it was carried out, nor when: it may be at any moment since it was asked, the far future included.
        case unknown
        /// It never reached anybody, such as when no connection was made. It explains nothing and contradicts nothing.
        case neverSent
    }

    /// Who asked, and whom.
    package let caller: String
    /// What the call is about: calls of different keys know nothing of each other.
    package let key: String
    package let action: Action
    /// Since the observer began, by a clock that never goes back.
    package let invoked: Duration
    package let outcome: Outcome

    package init(_ caller: String, _ key: String, _ action: Action, invoked: Duration, _ outcome: Outcome) {
        self.caller = caller
        self.key = key
        self.action = action
        self.invoked = invoked
        self.outcome = outcome
    }

    /// Nil when nobody knows.
    package var answer: Answer? { if case .answered(let answer, _) = outcome { answer } else { nil } }
    /// When the answer was there; nil when none came.
    package var returned: Duration? { if case .answered(_, let moment) = outcome { moment } else { nil } }
}
