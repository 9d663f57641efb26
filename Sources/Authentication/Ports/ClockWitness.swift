import OstiaryProtocol

/// Somebody beside this server's own clock, who is asked before something ends for good by that clock alone (docs/decisions/0072).
package protocol ClockWitness: Sendable {
    /// Whether this server's clock, which shows `now`, is known to be wrong. May ask another machine, for some seconds; one that is silent contradicts nobody.
    /// - Throws: `CancellationError` when this server stops.
    func contradicts(_ now: Instant) async throws -> Bool

    /// Whether something speaks against it, as far as it is known: nobody is asked, and nobody waits.
    func doubts(_ now: Instant) -> Bool
}

/// Where there is nobody to ask.
package struct NoWitness: ClockWitness {
    package init() {}

    package func contradicts(_ now: Instant) async throws -> Bool { false }
    package func doubts(_ now: Instant) -> Bool { false }
}

/// What a phone asks about is over by this server's clock alone: nobody has ended it, and nothing is written of it yet.
struct RunOut: Error {}

extension ClockWitness {
    /// What `body` finds: nil where that is an end by this clock alone, and the clock is contradicted.
    /// - Parameter body: throws ``RunOut`` for such an end unless `mayEnd`, and has changed nothing then.
    func unlessContradicted<Value: Sendable>(_ now: Instant, _ body: (_ mayEnd: Bool) async throws -> Value) async throws -> Value? {
        do { return try await body(false) } catch is RunOut {
            guard try await !contradicts(now) else { return nil }
            return try await body(true)
        }
    }
}
