extension Violation: CustomStringConvertible {
    private static var columns: Int { 56 }

    /// One line a call, with a bar for the time in which it was carried out if it was, and an arrow at the answer that cannot be.
    package var description: String {
        let words = calls.map { "\($0.action) → \($0.answer.map { "\($0)" } ?? "?")" }
        let (wordsWidth, callerWidth) = (Self.widest(words), Self.widest(calls.map(\.caller)))
        let lines = zip(calls, words).map { call, words in
            "  " + Self.padded(words, wordsWidth) + "  " + Self.padded(call.caller, callerWidth) + "  " + bar(of: call)
        }
        let states = states.map { "\($0)" }.sorted().joined(separator: " or ")
        let title = "\(key): no order explains “\(culprit.action) → \(culprit.answer.map { "\($0)" } ?? "?")” of \(culprit.caller)"
        return ([title + ", which found it \(states)"] + lines + [scale(indent: wordsWidth + callerWidth + 6)]).joined(separator: "\n")
    }

    private var first: Duration { calls.map(\.invoked).min() ?? .zero }
    private var last: Duration { calls.map { max($0.invoked, $0.returned ?? .zero) }.max() ?? .zero }

    private func column(of moment: Duration) -> Int {
        let (whole, part) = ((last - first) / Duration.nanoseconds(1), (moment - first) / Duration.nanoseconds(1))
        return whole > 0 ? Int((part / whole * Double(Self.columns - 1)).rounded()) : 0
    }

    /// One of which nobody knows when it ended has no end.
    private func bar(of call: Model.Call) -> String {
        let start = column(of: call.invoked)
        let end = call.returned.map { column(of: max($0, call.invoked)) }
        let length = (end ?? Self.columns - 1) - start
        let line = length == 0 ? (end == nil ? ">" : "|") : "|" + String(repeating: "-", count: length - 1) + (end == nil ? ">" : "|")
        let isCulprit = call == culprit
        return String(repeating: " ", count: start) + line
            + (isCulprit ? String(repeating: " ", count: Self.columns - start - line.count) + " ◄" : "")
    }

    private func scale(indent: Int) -> String {
        let (from, to) = ("\(Self.milliseconds(first)) ms", "\(Self.milliseconds(last)) ms")
        return String(repeating: " ", count: indent) + from
            + String(repeating: " ", count: max(1, Self.columns - from.count - to.count)) + to
    }

    private static func milliseconds(_ moment: Duration) -> Int { Int(moment / .milliseconds(1)) }
    private static func widest(_ texts: [String]) -> Int { texts.map(\.count).max() ?? 0 }
    private static func padded(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }
}

extension OrderSearch.Verdict: CustomStringConvertible {
    package var description: String {
        switch self {
        case .explained: "an order explains it"
        case .violated(let violation): violation.description
        case .gaveUp(let key): "\(key): too many orders are possible, so that nothing is known"
        }
    }
}
