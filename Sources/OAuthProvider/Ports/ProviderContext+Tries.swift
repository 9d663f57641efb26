import OstiaryProtocol

extension ProviderContext {
    /// Random bytes by which a try is found again.
    func tryMark() -> [UInt8] { random.bytes(CountedTry.markCount) }

    /// Seconds after which a place may try again; nil when it may now. Counts nothing. Writes only where tries lie ahead of this clock and nobody has seen
    /// that before: from then on they grow old.
    func wait(for place: CallPlace, under budget: TryBudget, at now: Instant) async throws -> UInt64? {
        let tries = try await store.read { rows in try rows.tries(budget, from: place) }
        guard let wait = tries.wait(at: now) else { return nil }
        if tries.noticing(now) != tries {
            try await store.write { rows in try rows.save(try rows.tries(budget, from: place).noticing(now), at: now) }
        }
        return wait
    }
}
