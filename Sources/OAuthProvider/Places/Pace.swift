import OstiaryProtocol

/// How often something may be done: so many times in so many seconds.
package struct Pace: Hashable, Sendable {
    /// One at least.
    package let most: Int
    package let seconds: UInt64

    package init(_ most: Int, in seconds: UInt64) {
        self.most = max(1, most)
        self.seconds = seconds
    }

    /// Of all that comes from one /56 of IPv6 (`CallPlace`).
    var inNetwork: Pace { times(4) }

    /// Of all that comes by one proxy, whatever it says of where that is from: who gets a proxy to write names that they made up has as many places as they
    /// like, and this bounds them.
    var throughProxy: Pace { times(100) }

    private func times(_ factor: Int) -> Pace {
        let (product, overflow) = most.multipliedReportingOverflow(by: factor)
        return Pace(overflow ? .max : product, in: seconds)
    }
}

/// When something was done lately, the oldest first.
package struct RecentTries: Hashable, Sendable {
    package private(set) var moments: [Instant]

    package init(_ moments: [Instant] = []) { self.moments = moments }

    /// Seconds after which it may be done again; nil when it may be now.
    package func wait(under pace: Pace, at now: Instant) -> UInt64? {
        let counting = recent(under: pace, at: now)
        guard counting.count >= pace.most else { return nil }
        return pace.seconds - min(now.seconds(since: counting[counting.count - pace.most]), pace.seconds - 1)
    }

    package func adding(_ now: Instant, under pace: Pace) -> RecentTries { RecentTries(recent(under: pace, at: now) + [now]) }

    /// One that was of this moment counts no more.
    package func givingBack(_ moment: Instant) -> RecentTries {
        guard let place = moments.lastIndex(of: moment) else { return self }
        var tries = self
        tries.moments.remove(at: place)
        return tries
    }

    /// As if what lies after this moment had been done then.
    package func broughtBack(to now: Instant) -> RecentTries { RecentTries(moments.map { min($0, now) }) }

    private func recent(under pace: Pace, at now: Instant) -> [Instant] { moments.filter { now.seconds(since: $0) < pace.seconds } }
}
