import OstiaryProtocol

/// When something that a provider publishes is fetched again, and who waits for it. It is fetched when half of its life is over, and when something is
/// wanted that is not in it: the key that a token names, or one that its signature is right by. Strangers can make up names and signatures as fast as they
/// like, so that is not done again before a while has passed; and what can't be fetched leaves the last good one in its place, for a day.
struct FetchSchedule: Hashable, Sendable {
    /// Seconds between two fetches, whatever their cause.
    static let cooldown: UInt64 = 30
    /// The same before the first success: as long as nothing is there, nobody can come in.
    static let firstCooldown: UInt64 = 2
    /// Seconds after which what was fetched is used no more, however long the provider is away: a key that leaked and was withdrawn is not kept in use
    /// for ever by whoever can cut the line.
    static let limit: UInt64 = 86_400

    /// Seconds for which what was fetched is used without anybody waiting for a newer one.
    let life: UInt64
    /// When the fetch began that brought what is in use; nil before the first.
    private(set) var fetchedAt: Instant?
    /// When the last one began, with or without success.
    private(set) var triedAt: Instant?
    /// When the last one began, if it brought nothing.
    private(set) var failedAt: Instant?

    init(life: UInt64) { self.life = life }

    /// - Parameter isWanting: whether somebody wants what is not in it.
    func shouldFetch(isWanting: Bool, at now: Instant) -> Bool {
        // By the distance: a clock that was put back would else fetch nothing until it is where it was.
        let pause = fetchedAt == nil ? Self.firstCooldown : Self.cooldown
        if let triedAt, now.distance(to: triedAt) < pause { return false }
        guard let fetchedAt else { return true }
        return isWanting || now.distance(to: fetchedAt) >= life / 2
    }

    func mayBeUsed(at now: Instant) -> Bool {
        guard let fetchedAt else { return false }
        return now.distance(to: fetchedAt) < Self.limit
    }

    /// Whether a request waits for the fetch that is under way. Nobody waits again for a provider that is away while there is something to go on with; but
    /// that it was away once says nothing of it a life later: an API that nobody asked meanwhile would go on with a key that was withdrawn long ago.
    func mustWait(isWanting: Bool, at now: Instant) -> Bool {
        guard let fetchedAt, mayBeUsed(at: now), !isWanting else { return true }
        if let failedAt, now.distance(to: failedAt) < life { return false }
        return now.distance(to: fetchedAt) >= life
    }

    mutating func began(at moment: Instant) { triedAt = moment }

    mutating func ended(success: Bool, begunAt moment: Instant) {
        failedAt = success ? nil : moment
        if success { fetchedAt = moment }
    }
}
