/// A request that bears a name, sent once more because nobody heard what became of it: whoever sends it, at whichever node, hears what the first was
/// told, for as long as that is promised.
package struct SameOutcome: SequentialModel {
    package enum State: Hashable, Sendable {
        case open
        case settled(String)
        case over
    }
    package enum Action: Hashable, Sendable {
        case ask
        /// What ends the promise: a refresh token, for example, is over when the one that it gave is used.
        case end
    }
    package enum Answer: Hashable, Sendable {
        case told(String)
        case refused
        /// Of an end.
        case done
    }

    /// Whether the promise may be over by its own times; then for good.
    private let mayEndByItself: Bool

    package init(mayEndByItself: Bool = false) { self.mayEndByItself = mayEndByItself }

    package var initial: State { .open }

    package func states(after action: Action, answered answer: Answer?, from state: State) -> [State] {
        switch (action, answer) {
        case (.ask, .told(let outcome)): state == .open || state == .settled(outcome) ? [.settled(outcome)] : []
        case (.ask, .refused): state == .over || mayEndByItself ? [.over] : []
        case (.ask, nil): [state]
        case (.end, .done), (.end, nil): [.over]
        case (.ask, .done), (.end, .told), (.end, .refused): []
        }
    }

    /// One that was answered settles what the others hear.
    package func isRead(_ action: Action) -> Bool { false }

    package func isDispensable(_ action: Action, _ answer: Answer?) -> Bool { action == .ask || mayEndByItself }
}
