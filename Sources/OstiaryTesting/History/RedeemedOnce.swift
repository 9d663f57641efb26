/// A code, a refresh token, a receipt, a one-time password: whoever redeems it first has it, and nobody else.
package struct RedeemedOnce: SequentialModel {
    /// Who asks: a number for each request, and the same one for a request that is made again.
    package struct Action: Hashable, Sendable, CustomStringConvertible {
        package let request: Int
        package init(request: Int) { self.request = request }
        package var description: String { "redeem by \(request)" }
    }
    package enum Answer: Hashable, Sendable { case given, refused }
    /// Whose it is.
    package struct State: Hashable, Sendable, CustomStringConvertible {
        package var owner: Int?
        package var description: String { owner.map { "\($0)'s" } ?? "nobody's" }
    }

    /// Whether the first who asks may be refused too, because of its times or of something else.
    private let mayRefuse: Bool
    /// Whether the request that was given it is given it again when it is made again.
    private let isRepeatable: Bool

    package init(mayRefuse: Bool = false, isRepeatable: Bool = false) {
        self.mayRefuse = mayRefuse
        self.isRepeatable = isRepeatable
    }

    package var initial: State { State() }

    package func states(after action: Action, answered answer: Answer?, from state: State) -> [State] {
        let (isFree, isOwn) = (state.owner == nil, state.owner == action.request)
        return switch answer {
        case .given: isFree || (isOwn && isRepeatable) ? [State(owner: action.request)] : []
        case .refused where isFree: mayRefuse ? [state] : []
        case .refused: isOwn && isRepeatable ? [] : [state]
        case nil: isFree ? [State(owner: action.request)] : [state]
        }
    }

    package func isRead(_ action: Action) -> Bool { false }

    package func isDispensable(_ action: Action, _ answer: Answer?) -> Bool { answer == .refused || mayRefuse }
}
