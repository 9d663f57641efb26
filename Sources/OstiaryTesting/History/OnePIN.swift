/// A PIN that is replaced while it is tried: at every moment exactly one is good, the newest that was set, or the one before where the change did not come
/// about. There is never none.
package struct OnePIN: SequentialModel {
    /// By their numbers.
    package enum Action: Hashable, Sendable {
        case set(Int)
        case enter(Int)
    }
    package enum Answer: Hashable, Sendable {
        /// Of a change: it counts from now on.
        case done
        /// Of a change: nothing was changed.
        case refused
        case right, wrong
    }

    package init() {}

    /// The one that is good.
    package var initial: Int { 0 }

    package func states(after action: Action, answered answer: Answer?, from good: Int) -> [Int] {
        switch (action, answer) {
        case (.set(let new), .done), (.set(let new), nil): [new]
        case (.set, .refused), (.enter, nil): [good]
        case (.enter(let pin), .right): pin == good ? [good] : []
        case (.enter(let pin), .wrong): pin == good ? [] : [good]
        case (.set, .right), (.set, .wrong), (.enter, .done), (.enter, .refused): []
        }
    }

    package func isRead(_ action: Action) -> Bool { if case .enter = action { true } else { false } }

    package func isDispensable(_ action: Action, _ answer: Answer?) -> Bool { isRead(action) || answer == .refused }
}
