import OstiaryProtocol

/// What places have tried lately, inside a transaction.
package protocol TryRows: AnyObject {
    /// Empty where nothing was tried lately.
    func tries(of kind: TriedKind, from: TriedFrom) throws -> RecentTries
    /// Puts them in the place of their former self, and writes that row also when nothing is new in it: of two transactions that have looked at the same
    /// tries the later one is then begun again.
    /// - Parameter end: the last moment at which anything follows from them.
    func save(_ tries: RecentTries, of kind: TriedKind, from: TriedFrom, until end: Instant) throws
}

extension TryRows {
    func tries(_ budget: TryBudget, from place: CallPlace) throws -> PlaceTries {
        try PlaceTries(budget, from: place) { try tries(of: budget.kind, from: $0) }
    }

    func save(_ tries: PlaceTries, at now: Instant) throws {
        for part in tries.parts {
            try save(part.recent, of: tries.budget.kind, from: part.from, until: now + tries.budget.pace.seconds)
        }
    }
}

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
