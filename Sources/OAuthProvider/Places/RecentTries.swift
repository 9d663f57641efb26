import OstiaryProtocol

/// One try, as it was counted.
package struct CountedTry: Hashable, Sendable {
    /// Of a mark, in bytes.
    package static let markCount = 8
    /// Seconds by which a call may come after one that was later: more is a clock that was put back, or another node's that runs ahead. Longer than a body
    /// may take to arrive, as a request is of the moment at which its head came: who sends one slowly makes nobody's tries younger.
    static let disorder: UInt64 = 60

    /// Random bytes of the call, by which a second look finds that the first was kept.
    package let mark: [UInt8]
    /// By the clock of the node that counted it.
    package let at: Instant
    /// When a node saw that it lies ahead of its own clock; nil while none did.
    package private(set) var noticedAt: Instant?

    package init(mark: [UInt8], at: Instant, noticedAt: Instant? = nil) {
        precondition(mark.count == Self.markCount, "a mark has 8 bytes")
        self.mark = mark
        self.at = at
        self.noticedAt = noticedAt
    }

    /// The moment from which it counts. What lies ahead counts as done when that was seen: it locks nobody until the clock is reached that counted it.
    fileprivate func moment(at now: Instant) -> Instant { isAhead(of: now) ? min(noticedAt ?? now, now) : at }

    fileprivate func noticing(_ now: Instant) -> CountedTry {
        guard isAhead(of: now), noticedAt.map({ now + Self.disorder < $0 }) ?? true else { return self }
        var noticed = self
        noticed.noticedAt = now
        return noticed
    }

    private func isAhead(of now: Instant) -> Bool { now + Self.disorder < at }
}

/// What was tried lately, in the order in which it came.
package struct RecentTries: Hashable, Sendable {
    package let tries: [CountedTry]

    package init(_ tries: [CountedTry] = []) { self.tries = tries }

    /// Seconds after which there may be another; nil when there may be one now.
    package func wait(under pace: Pace, at now: Instant) -> UInt64? {
        let ages = tries.map { now.seconds(since: $0.moment(at: now)) }.filter { $0 < pace.seconds }.sorted(by: >)
        guard ages.count >= pace.most else { return nil }
        return pace.seconds - ages[ages.count - pace.most]
    }

    /// With one more. Of those before it as many stay as can count beside it, also where they are too old by this clock: it may be the one that is wrong.
    package func adding(_ new: CountedTry, under pace: Pace) -> RecentTries { RecentTries(tries.suffix(pace.most - 1) + [new]) }

    /// Remembers of those that lie ahead that they do.
    package func noticing(_ now: Instant) -> RecentTries { RecentTries(tries.map { $0.noticing(now) }) }

    package func holds(_ mark: [UInt8]) -> Bool { tries.contains { $0.mark == mark } }
}
