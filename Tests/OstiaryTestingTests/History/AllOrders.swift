import OstiaryTesting

/// Whether a history can be explained, found by trying every order of its calls: for a few calls, and so plain that it can be believed.
struct AllOrders<Model: SequentialModel> {
    let model: Model

    func explain(_ calls: [Model.Call]) -> Bool {
        let sent = calls.filter { $0.outcome != .neverSent }
        return place(sent, from: model.initial)
    }

    /// Whether these calls have an order from this state, in which those of which nobody knows may be missing.
    private func place(_ left: [Model.Call], from state: Model.State) -> Bool {
        if left.allSatisfy({ $0.outcome == .unknown }) { return true }
        for (index, first) in left.enumerated() {
            // Nothing that was over before it began may come after it.
            let isLate = left.contains { other in other.returned.map { max($0, other.invoked) < first.invoked } ?? false }
            guard !isLate else { continue }
            var rest = left
            rest.remove(at: index)
            for next in model.states(after: first.action, answered: first.answer, from: state) where place(rest, from: next) { return true }
        }
        return false
    }
}
