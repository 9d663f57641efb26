/// When a time is over: that of a call, or of one step in it.
struct Deadline: Sendable, Equatable {
    /// Nil for never.
    private let end: ContinuousClock.Instant?

    static let never = Deadline(milliseconds: nil)

    /// - Parameter milliseconds: from now; nil for never.
    init(milliseconds: Int?) {
        end = milliseconds.map { ContinuousClock.now + .milliseconds($0) }
    }

    private init(end: ContinuousClock.Instant?) { self.end = end }

    /// Milliseconds that are left, 0 when it is over; -1 for ever, as `poll` has it.
    var left: Int32 {
        guard let end else { return -1 }
        let left = ContinuousClock.now.duration(to: end)
        guard left > .zero else { return 0 }
        // A part of one is waited for too.
        return Int32(clamping: left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000 + 1)
    }

    var isOver: Bool { left == 0 }

    /// Whether it is over at a time that was read once for many.
    func isOver(at now: ContinuousClock.Instant) -> Bool { end.map { $0 <= now } ?? false }

    /// Whether it is over sooner.
    func isBefore(_ other: Deadline) -> Bool { self != other && before(other) == self }

    /// Whichever of the two is over first.
    func before(_ other: Deadline) -> Deadline {
        guard let end else { return other }
        return Deadline(end: other.end.map { min(end, $0) } ?? end)
    }

    /// The end of a part of what is left: a share of it for each of so many who follow each other, all for the last.
    func share(of followers: Int) -> Deadline {
        guard let end, followers > 1 else { return self }
        return Deadline(end: ContinuousClock.now + ContinuousClock.now.duration(to: end) / followers)
    }
}
