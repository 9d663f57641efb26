/// Looks for an order of a history's calls that its model allows: Wing and Gong's search, with the two cures of its cost that Lowe gives. A call is put
/// into the order only when an answer needs it there ("just in time"), and a situation that was looked at once is not looked at again.
///
/// Calls of which nobody knows what became stay open for ever. Of several that ask the same, the one that was asked first is put into the order first:
/// exchanging two of them contradicts no clock.
package struct OrderSearch<Model: SequentialModel>: Sendable {
    package enum Verdict: Sendable {
        case explained
        case violated(Violation<Model>)
        /// So many situations were possible at once that nothing is said of the history of this key.
        case gaveUp(key: String)
    }

    /// What may be true of the thing, and which of the open calls it has carried out, by their places.
    private struct Situation: Hashable {
        var state: Model.State
        var done: UInt64
    }

    /// A call that has begun and has no answer yet.
    private struct OpenCall {
        let call: Model.Call
        let index: Int
        let place: UInt64
    }

    private let model: Model
    private let mostSituations: Int

    /// - Parameter mostSituations: that are kept at one moment. Likewise it gives up when more than 64 calls of a key are open.
    package init(_ model: Model, mostSituations: Int = 200_000) {
        self.model = model
        self.mostSituations = mostSituations
    }

    /// Looks at each key's calls on their own.
    /// - Returns: the verdicts that are not ``Verdict/explained``, by key.
    package func faults(in calls: [Model.Call]) -> [Verdict] {
        Dictionary(grouping: calls, by: \.key).sorted { $0.key < $1.key }.compactMap { _, calls in
            switch verdict(on: calls) {
            case .explained: nil
            case let fault: fault
            }
        }
    }

    /// - Parameter calls: of one key, in any order.
    package func verdict(on calls: [Model.Call]) -> Verdict {
        let calls = calls.filter { $0.outcome != .neverSent }.sorted { $0.invoked < $1.invoked }
        switch walk(calls) {
        case .explained: return .explained
        case .gaveUp: return .gaveUp(key: calls[0].key)
        case .unexplained(let call, let states): return .violated(Shrinking(self, model).violation(of: calls, at: calls[call], states))
        }
    }

    enum Way {
        case explained
        case gaveUp
        /// No order explains the answer of this call; before it, the thing may have been in these states.
        case unexplained(call: Int, from: Set<Model.State>)
    }

    /// - Parameter calls: in the order in which they were invoked.
    func walk(_ calls: [Model.Call]) -> Way {
        var situations: Set<Situation> = [Situation(state: model.initial, done: 0)]
        var open: [OpenCall] = []
        for moment in Self.moments(of: calls) {
            guard moment.isReturn else {
                let call = calls[moment.call]
                if call.answer == nil, model.isRead(call.action) { continue }
                guard let place = Self.freePlace(beside: open) else { return .gaveUp }
                open.append(OpenCall(call: call, index: moment.call, place: place))
                continue
            }
            guard let ended = open.firstIndex(where: { $0.index == moment.call }) else { continue }
            guard let next = explain(open[ended], among: open, from: situations) else { return .gaveUp }
            guard !next.isEmpty else { return .unexplained(call: moment.call, from: Set(situations.map(\.state))) }
            situations = next
            open.remove(at: ended)
        }
        return .explained
    }

    /// - Returns: the situations in which this call was carried out before it was answered; nil when there are too many.
    private func explain(_ ended: OpenCall, among open: [OpenCall], from situations: Set<Situation>) -> Set<Situation>? {
        var seen = situations
        var waiting = Array(situations)
        var explained: Set<Situation> = []
        while var situation = waiting.popLast() {
            if situation.done & ended.place != 0 {
                situation.done &= ~ended.place
                explained.insert(situation)
                continue
            }
            for candidate in open where situation.done & candidate.place == 0 && !hasEarlierTwin(candidate, in: open, situation) {
                for state in model.states(after: candidate.call.action, answered: candidate.call.answer, from: situation.state) {
                    // One that changes nothing and of which nobody knows the answer needs no place in the order.
                    if candidate.call.answer == nil, state == situation.state { continue }
                    let next = Situation(state: state, done: situation.done | candidate.place)
                    if seen.insert(next).inserted { waiting.append(next) }
                }
            }
            guard seen.count <= mostSituations else { return nil }
        }
        return explained
    }

    private func hasEarlierTwin(_ open: OpenCall, in others: [OpenCall], _ situation: Situation) -> Bool {
        guard open.call.outcome == .unknown else { return false }
        return others.contains {
            $0.index < open.index && situation.done & $0.place == 0 && $0.call.outcome == .unknown && $0.call.action == open.call.action
        }
    }

    /// Nil when as many calls are open as have places.
    private static func freePlace(beside open: [OpenCall]) -> UInt64? {
        let taken = open.reduce(0) { $0 | $1.place }
        return taken == .max ? nil : 1 << UInt64((~taken).trailingZeroBitCount)
    }

    private struct Moment {
        let time: Duration
        let isReturn: Bool
        let call: Int
    }

    /// At one and the same time calls begin before others end: nothing is known of their order, so any is allowed.
    private static func moments(of calls: [Model.Call]) -> [Moment] {
        let moments = calls.enumerated().flatMap { index, call in
            [Moment(time: call.invoked, isReturn: false, call: index)]
                + (call.returned.map { [Moment(time: max($0, call.invoked), isReturn: true, call: index)] } ?? [])
        }
        return moments.sorted { ($0.time, $0.isReturn ? 1 : 0, $0.call) < ($1.time, $1.isReturn ? 1 : 0, $1.call) }
    }
}
