/// A moment in whole Unix seconds, the only clock unit of AP1 (protocol §2).
package struct Instant: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let seconds: UInt64

    package init(_ seconds: UInt64) { self.seconds = seconds }

    package static func < (left: Instant, right: Instant) -> Bool { left.seconds < right.seconds }

    /// This moment plus `span` seconds; saturates at the end of time instead of trapping.
    package static func + (left: Instant, span: UInt64) -> Instant {
        let (sum, overflow) = left.seconds.addingReportingOverflow(span)
        return Instant(overflow ? .max : sum)
    }

    /// This moment less `span` seconds; saturates at zero.
    package static func - (left: Instant, span: UInt64) -> Instant {
        Instant(left.seconds > span ? left.seconds - span : 0)
    }

    /// Seconds from `earlier` to this moment, zero when `earlier` is later.
    package func seconds(since earlier: Instant) -> UInt64 {
        seconds > earlier.seconds ? seconds - earlier.seconds : 0
    }

    /// Distance in seconds, whichever comes first.
    package func distance(to other: Instant) -> UInt64 {
        max(seconds, other.seconds) - min(seconds, other.seconds)
    }

    package var description: String { "\(seconds)" }
}
