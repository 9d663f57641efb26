/// Tries that are counted: never more than the most, never fewer than were made, and from none again only by a proven success, or by an operator.
package struct BoundedCounter: SequentialModel {
    package enum Action: Hashable, Sendable {
        case spend, succeed, read
        /// An operator gives all tries back.
        case reset
    }
    package enum Answer: Hashable, Sendable {
        /// What was counted when this was done.
        case count(Int)
        /// Done, and nothing said of the count.
        case done
        case refused
    }

    private let most: Int
    /// Whether there may be other reasons for a refusal, which then counts nothing.
    private let mayRefuse: Bool

    package init(most: Int, mayRefuse: Bool = false) {
        self.most = most
        self.mayRefuse = mayRefuse
    }

    package var initial: Int { 0 }

    package func states(after action: Action, answered answer: Answer?, from count: Int) -> [Int] {
        switch (action, answer) {
        case (.spend, .count(let told)): count < most && told == count + 1 ? [told] : []
        case (.spend, .done): count < most ? [count + 1] : []
        case (.spend, nil): [min(most, count + 1)]
        case (.succeed, .done), (.succeed, .count(0)), (.succeed, nil), (.reset, .done), (.reset, nil): [0]
        case (.read, .count(let told)): told == count ? [count] : []
        case (.read, nil): [count]
        case (.spend, .refused), (.succeed, .refused): mayRefuse || count == most ? [count] : []
        case (.succeed, .count), (.read, .done), (.read, .refused), (.reset, .count), (.reset, .refused): []
        }
    }

    package func isRead(_ action: Action) -> Bool { action == .read }

    package func isDispensable(_ action: Action, _ answer: Answer?) -> Bool { isRead(action) || answer == .refused }
}
