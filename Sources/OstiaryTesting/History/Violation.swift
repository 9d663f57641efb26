/// Calls of one key that no order explains, as few as they can be made.
package struct Violation<Model: SequentialModel>: Sendable {
    package let key: String
    /// In the order in which they were invoked.
    package let calls: [Model.Call]
    /// The one whose answer cannot be.
    package let culprit: Model.Call
    /// What the thing may have been in before that answer.
    package let states: Set<Model.State>
}

/// Takes out of a history that no order explains what it does not need.
struct Shrinking<Model: SequentialModel> {
    private let search: OrderSearch<Model>
    private let model: Model

    init(_ search: OrderSearch<Model>, _ model: Model) { (self.search, self.model) = (search, model) }

    /// - Parameters:
    ///   - calls: in the order in which they were invoked.
    ///   - culprit: whose answer no order explains.
    func violation(of calls: [Model.Call], at culprit: Model.Call, _ states: Set<Model.State>) -> Violation<Model> {
        let end = culprit.returned ?? culprit.invoked
        var found = Violation<Model>(key: culprit.key, calls: calls.filter { $0.invoked <= end }, culprit: culprit, states: states)
        // Halves first, then smaller pieces: of thousands of calls mostly three are needed.
        var piece = max(1, found.calls.count / 2)
        while true {
            var start = 0
            while start < found.calls.count {
                let taken = start..<min(found.calls.count, start + piece)
                if let smaller = without(taken, found) { found = smaller } else { start = taken.upperBound }
            }
            guard piece > 1 else { return found }
            piece /= 2
        }
    }

    /// Nil when that leaves nothing unexplained, or something that may not be left out stands there.
    private func without(_ range: Range<Int>, _ found: Violation<Model>) -> Violation<Model>? {
        guard found.calls[range].allSatisfy({ model.isDispensable($0.action, $0.answer) }) else { return nil }
        let rest = Array(found.calls[..<range.lowerBound] + found.calls[range.upperBound...])
        guard case .unexplained(let call, let states) = search.walk(rest) else { return nil }
        return Violation(key: found.key, calls: rest, culprit: rest[call], states: states)
    }
}
