/// A session, a grant, an account: it begins, it is alive until it is stopped, and it is never alive again. So whoever asks after a stop was acknowledged
/// hears that it is over, at whichever node.
package struct AliveUntilStopped: SequentialModel {
    package enum State: Hashable, Sendable { case notBegun, alive, over }
    package enum Action: Hashable, Sendable { case begin, stop, read }
    package enum Answer: Hashable, Sendable { case alive, over }

    package let initial: State
    /// Whether it may be over without anybody's stop, by its own times; then too for good.
    private let mayEndByItself: Bool

    package init(initial: State = .alive, mayEndByItself: Bool = false) {
        self.initial = initial
        self.mayEndByItself = mayEndByItself
    }

    package func states(after action: Action, answered answer: Answer?, from state: State) -> [State] {
        switch (action, answer) {
        case (.begin, .alive): state == .over ? [] : [.alive]
        case (.begin, .over): state == .over ? [.over] : ended(state)
        case (.begin, nil): state == .over ? [.over] : [.alive]
        case (.stop, .alive): []
        case (.stop, _): [.over]
        case (.read, .alive): state == .alive ? [.alive] : []
        case (.read, .over): state == .alive ? ended(state) : [state]
        case (.read, nil): [state]
        }
    }

    /// What answers “over” before anybody stopped it.
    private func ended(_ state: State) -> [State] { mayEndByItself ? [.over] : [] }

    package func isRead(_ action: Action) -> Bool { action == .read }

    package func isDispensable(_ action: Action, _ answer: Answer?) -> Bool {
        switch action {
        case .begin: false
        case .stop: mayEndByItself
        case .read: true
        }
    }
}
