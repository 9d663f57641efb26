import OstiaryProtocol

/// When a resource server fetches the provider's keys again: when they are old, and once when a token names a key that is not among them. Strangers
/// can make up names of keys as fast as they like, so that is not done again before a while has passed; and what cannot be fetched leaves the last
/// good keys in their place.
package struct KeySetFreshness: Hashable, Sendable {
    /// Seconds for which keys are used without a look.
    package static let life: UInt64 = 600
    /// Seconds between two fetches, whatever their cause.
    package static let cooldown: UInt64 = 30

    /// When the keys that are in use were fetched; nil before the first.
    package private(set) var fetchedAt: Instant?
    /// When it was last tried, with or without success.
    package private(set) var triedAt: Instant?

    package init() {}

    /// - Parameter isKeyUnknown: whether a token names a key that is not there.
    package func shouldFetch(isKeyUnknown: Bool, at now: Instant) -> Bool {
        // By the distance: a clock that was put back would else fetch nothing until it is where it was.
        if let triedAt, now.distance(to: triedAt) < Self.cooldown { return false }
        guard let fetchedAt else { return true }
        return isKeyUnknown || now.distance(to: fetchedAt) >= Self.life
    }

    package func after(success: Bool, at now: Instant) -> KeySetFreshness {
        var next = self
        next.triedAt = now
        if success { next.fetchedAt = now }
        return next
    }
}
