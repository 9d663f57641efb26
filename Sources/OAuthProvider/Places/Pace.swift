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
