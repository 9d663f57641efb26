import OstiaryProtocol
import OstiaryTokens

/// The refresh tokens of one grant, of which one is the newest (RFC 6749 §6, RFC 9700 §4.14).
///
/// A token that is nothing without the secret of its client, or without a key, stays what it is: whoever steals it can't use it. One that whoever holds
/// it can use is renewed at each use, and answers get lost on the way to a phone: so its predecessor stays good until the newest is used or ten
/// minutes have passed, and leads to the same newest. One that is later than its row knows was given before a backup was put back, and is the newest.
package struct RefreshFamily: Equatable, Sendable {
    /// Seconds for which the predecessor of an unused token is good.
    package static let grace: UInt64 = 600

    /// What has to be shown with a token of the family.
    package enum Binding: Hashable, Sendable {
        /// Nothing: it is a bearer token.
        case none
        /// The credentials of its client (RFC 6749 §10.4).
        case client
        /// The key of a client that has no credentials (RFC 9449 §5).
        case key(Thumbprint)
    }

    package let grant: GrantID
    package let server: ServerID
    package let client: ClientID
    package let binding: Binding
    package let life: RefreshLife
    package let createdAt: Instant
    /// Of the newest token; the first has 0.
    package private(set) var generation: UInt32
    /// When the newest was first given out.
    package private(set) var renewedAt: Instant
    package private(set) var usedAt: Instant

    /// - Parameter generation: of the newest token, as a store kept it with the moments after it; without them the family begins.
    package init(
        grant: GrantID, server: ServerID, client: ClientID, binding: Binding, life: RefreshLife, createdAt: Instant, generation: UInt32 = 0,
        renewedAt: Instant? = nil, usedAt: Instant? = nil
    ) {
        self.grant = grant
        self.server = server
        self.client = client
        self.binding = binding
        self.life = life
        self.createdAt = createdAt
        self.generation = generation
        self.renewedAt = renewedAt ?? createdAt
        self.usedAt = usedAt ?? createdAt
    }

    /// What the use of a token means.
    package enum Ruling: Equatable, Sendable {
        /// The token of this generation is given out, and the family is this from now on.
        case give(generation: UInt32, RefreshFamily)
        /// It is over, by its own times.
        case expired
        /// A token that was replaced long ago: two have it, and nobody knows who is who. The grant is to be revoked.
        case reused
        /// No token of this family is that new, nor ever was.
        case unknown
    }

    /// - Parameter generation: of the token that came, which is known to be genuine.
    package func ruling(on presented: UInt32, at now: Instant) -> Ruling {
        guard presented <= generation else { return caughtUp(with: presented)?.ruling(on: presented, at: now) ?? .unknown }
        // Before its times: what is used twice shows a theft, however late.
        guard isGood(presented, at: now) else { return .reused }
        guard !isOver(at: now) else { return .expired }
        return .give(generation: next(after: presented), used(presented, at: now))
    }

    /// The family with a token as its newest that is later than its row knows. A genuine token is in no answer before its family is kept, so the row
    /// is that of a database that was put back. The times stay those of the row: when the later ones were used is lost.
    /// - Returns: nil for a family whose token is never renewed, which has no later one.
    private func caughtUp(with presented: UInt32) -> RefreshFamily? {
        guard binding == .none else { return nil }
        var family = self
        family.generation = presented
        return family
    }

    private func isGood(_ presented: UInt32, at now: Instant) -> Bool {
        presented == generation || presented + 1 == generation && now <= renewedAt + Self.grace
    }

    private func isOver(at now: Instant) -> Bool {
        if let absolute = life.absolute, now > createdAt + absolute { return true }
        if let idle = life.idle, now > usedAt + idle { return true }
        return false
    }

    /// Whether it is over by its own times, and so is whatever access token it gave, for whichever API: nothing is lost with its grant.
    package func isSpent(at now: Instant) -> Bool { isOver(at: now) && now > usedAt + ProtectedAPI.longestLife }

    private func next(after presented: UInt32) -> UInt32 {
        guard binding == .none, presented == generation, generation < .max else { return generation }
        return generation + 1
    }

    private func used(_ presented: UInt32, at now: Instant) -> RefreshFamily {
        var family = self
        family.generation = next(after: presented)
        if family.generation != generation { family.renewedAt = now }
        family.usedAt = max(usedAt, now)
        return family
    }
}
