import OstiaryProtocol

/// How often a page may begin anew: a few times in a row, then slowly. Each time costs the server rows, and nobody reads that many codes.
package enum PageRenewal {
    /// How many times in a row.
    package static let burst: UInt64 = 5
    /// Seconds after which one more is free.
    package static let interval: UInt64 = 20

    /// The step of one request: `level` is the moment at which all of the burst is free again.
    /// - Returns: the next level, or how many seconds to wait.
    static func step(from level: Instant, at now: Instant) -> Step {
        // Further ahead than all of the burst nothing can be: that was a clock that ran ahead, and nobody waits for it.
        let level = level > now + interval * burst ? now : max(level, now)
        let latest = now + interval * (burst - 1)
        return level <= latest ? .begins(level + interval) : .waits(level.seconds(since: latest))
    }

    package enum Step: Equatable, Sendable {
        case begins(Instant)
        case waits(UInt64)
    }
}
