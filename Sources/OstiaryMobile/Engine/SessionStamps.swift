import OstiaryProtocol

/// The time stamps of what was signed about a session: each is later than those before it that its server may have taken (protocol §8).
struct SessionStamps {
    /// How far ahead of the server's clock one is chosen, in seconds: less than the 120 that a server takes, since its clock is known to a few seconds.
    private static let reach: UInt64 = 110

    /// The latest that was taken.
    private var taken: Instant
    /// Later ones that may have been: their answers are on the way, or were lost. One may be there twice.
    private var open: [Instant] = []

    init(after last: Instant = Instant(0)) { taken = last }

    /// The latest that a server may have taken.
    var last: Instant { open.reduce(taken, max) }

    /// A request goes out.
    mutating func send(_ stamp: Instant) { open.append(stamp) }

    /// The server answered a request itself; of one without such an answer nothing is known, and its stamp stays.
    /// - Parameter isTaken: false where the answer is that the request's time was wrong.
    mutating func settle(_ stamp: Instant, isTaken: Bool) {
        if isTaken {
            let latest = max(taken, stamp)
            taken = latest
            open.removeAll { $0 <= latest }
        } else if let index = open.firstIndex(of: stamp) {
            open.remove(at: index)
        }
    }

    /// The server's time, or the second after `last` where that has not come yet. A `last` so far ahead that a server would refuse what follows it was
    /// taken by a wrong clock, if at all: it holds nothing up, and the server still counts no ping that is not later than those it took.
    static func next(after last: Instant, at now: Instant) -> Instant { last + 1 > now + reach ? now : max(now, last + 1) }
}
