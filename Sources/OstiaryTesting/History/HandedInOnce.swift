/// A return code: whoever hands it in first spends it. Its own browser is logged in by that, and is so when the address is loaded again; another
/// one is not, and if it was the first nobody is.
package struct HandedInOnce: SequentialModel {
    /// Whose nonce it comes with.
    package enum Action: Hashable, Sendable { case own, other }
    package enum Answer: Hashable, Sendable { case loggedIn, refused }
    package enum State: Hashable, Sendable { case good, loggedIn, lost }

    /// Whether its own browser may be too late, by the times of the code or of the login; then for good.
    private let mayEndByItself: Bool

    package init(mayEndByItself: Bool = false) { self.mayEndByItself = mayEndByItself }

    package var initial: State { .good }

    package func states(after action: Action, answered answer: Answer?, from state: State) -> [State] {
        switch (action, state) {
        case (.own, .lost): answer == .loggedIn ? [] : [.lost]
        case (.own, _) where answer == .refused: mayEndByItself ? [.lost] : []
        case (.own, _): [.loggedIn]
        case (.other, _) where answer == .loggedIn: []
        case (.other, .loggedIn): [.loggedIn]
        case (.other, _): [.lost]
        }
    }

    package func isRead(_ action: Action) -> Bool { false }

    package func isDispensable(_ action: Action, _ answer: Answer?) -> Bool { action == .own && answer == .refused }
}
