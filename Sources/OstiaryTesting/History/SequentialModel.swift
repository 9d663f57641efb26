/// What a thing does when one call after the other is made of it. A history of many callers is right when some order of its calls, which contradicts
/// no clock, is one that the model allows (linearizability, Herlihy and Wing).
package protocol SequentialModel: Sendable {
    associatedtype State: Hashable & Sendable
    associatedtype Action: Hashable & Sendable
    associatedtype Answer: Hashable & Sendable

    var initial: State { get }

    /// - Parameter answer: nil when nobody knows what it was.
    /// - Returns: the states that the thing may be in after it has done this and answered so; none where it cannot answer so.
    func states(after action: Action, answered answer: Answer?, from state: State) -> [State]

    /// Whether it changes nothing whatever is answered: one that nobody heard an answer to explains nothing.
    func isRead(_ action: Action) -> Bool

    /// Whether whatever explains a history explains the rest of it when such a call is left out: so a counterexample needs only those that it is made of.
    func isDispensable(_ action: Action, _ answer: Answer?) -> Bool
}

extension SequentialModel {
    package typealias Call = ObservedCall<Action, Answer>
}
