import Authentication
import HTTPService
import OstiaryProtocol

/// Whether this node's clock is trusted with what is for good, and for all nodes: what is ended, deleted or brought back in the background, and what
/// backends are told of it (docs/decisions/0012).
struct ClockGuard: Sendable {
    let gateway: PinnedSecondFactor
    /// What the clock itself has shown, and what the database has.
    let watch: ClockWatch
    let check: ClockCheck
    /// Those who want to know at once share one look, and one that failed holds for two seconds.
    private let look: CachedCheck

    init(gateway: PinnedSecondFactor, watch: ClockWatch, check: ClockCheck) {
        self.gateway = gateway
        self.watch = watch
        self.check = check
        look = CachedCheck("clock", lasts: .zero) { try await gateway.look() }
    }

    /// What speaks against the clock by which it is `now`, as far as it is known: nobody is asked. Nil for nothing.
    func doubt(at now: Instant) -> ClockDoubt? {
        // Each look counts for how long it has been so.
        let isBehind = watch.isBehind(at: now)
        if gateway.watch.isClockContradicted { return .contradicted }
        guard isBehind || check.isBehind, !gateway.watch.isInOrder else { return nil }
        return .behind
    }

    /// Whether this node may have the lease for such work: otherwise it leaves that to a node whose clock nothing speaks against. Asks where something does.
    func mayHold(at now: Instant) async throws -> Bool {
        if doubt(at: now) == nil { return true }
        return try await allows(now)
    }

    /// Whether nothing speaks against it when the second-factor server was asked. To a clock that fell behind everything lies ahead, as it does to one that
    /// was put right: that it is right has to be said by the other server, and silence is not enough.
    /// - Throws: `CancellationError` when this server stops.
    func allows(_ now: Instant) async throws -> Bool {
        if try await gateway.contradicts(now) { return false }
        return doubt(at: now) == nil
    }
}

extension ClockGuard: ClockWitness {
    /// Nobody is asked where the second-factor server has contradicted, or where it has agreed within two minutes of `now`, by this very clock: one that leaps by
    /// more than that leaves the moment behind. Otherwise it is asked, by all who want to know at once together.
    func contradicts(_ now: Instant) async throws -> Bool {
        let other = gateway.watch
        if other.isClockContradicted { return true }
        if other.hasAgreed(near: now) { return false }
        try? await look.check()
        try Task.checkCancellation()
        // Where it agrees now, and not with that moment, the clock was set meanwhile.
        return other.isClockContradicted || (other.isInOrder && !other.hasAgreed(near: now))
    }

    /// A clock that leaps leaves the moment behind at which the other server has agreed, before anybody has asked it again.
    func doubts(_ now: Instant) -> Bool { gateway.watch.isClockContradicted || gateway.watch.hasAgreed(farFrom: now) }
}

/// Why a node leaves to others, or to later, what is for good: a line of the log and of the full report of readiness.
enum ClockDoubt: Error, Equatable, CustomStringConvertible {
    case contradicted, behind

    var description: String {
        let reason =
            switch self {
            case .contradicted: "the second-factor server has said that the clocks differ"
            case .behind: "its clock is behind what it or the database has shown, and the second-factor server does not say that it is right"
            }
        return "this node ends and deletes nothing in the background and tells no backend that a session is over: \(reason). Set the clock that is "
            + "wrong: it goes on when the second-factor server answers and the clocks agree"
    }
}
