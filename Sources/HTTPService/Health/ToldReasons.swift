/// Of which reasons the log has a line, where something fails and passes again: of each once in one failing, and of the same again a minute later at the
/// earliest, where it passed meanwhile. What still stands in the way when the minute is over is told then, and a failing without a line ends without one.
package struct ToldReasons: Sendable {
    /// Those of this failing that are no news any more.
    private var known: Set<String> = []
    /// When the log had a line of it; of the last minute, as far as it is of use.
    private var lines: [String: ContinuousClock.Instant] = [:]
    /// Whether this failing has a line.
    private(set) var isTold = false

    /// For how long what was told is no news, though there was none meanwhile.
    private static let rest = Duration.seconds(60)

    /// With so many in one failing they are no news any more.
    private static let mostKnown = 16

    package init() {}

    /// - Parameter now: of a clock that never goes back.
    /// - Returns: whether it is to be told now.
    package mutating func note(_ reason: String, at now: ContinuousClock.Instant) -> Bool {
        guard !isResting(reason, at: now), know(reason) else { return false }
        tell(reason, at: now)
        return true
    }

    /// Notes that nothing fails any more.
    /// - Returns: whether that is to be told.
    package mutating func end() -> Bool {
        defer { (known, isTold) = ([], false) }
        return isTold
    }

    /// Whether it was told a moment ago, before the last end.
    func isResting(_ reason: String, at now: ContinuousClock.Instant) -> Bool {
        guard !known.contains(reason), let line = lines[reason] else { return false }
        return now < line + Self.rest
    }

    /// Takes it for told in this failing.
    /// - Returns: whether it was news.
    @discardableResult
    mutating func know(_ reason: String) -> Bool { known.count < Self.mostKnown && known.insert(reason).inserted }

    /// Notes a line, whether it is news or not.
    mutating func tell(_ reason: String, at now: ContinuousClock.Instant) {
        lines = lines.filter { now < $0.value + Self.rest }
        lines[reason] = now
        isTold = true
    }
}
