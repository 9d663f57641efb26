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
