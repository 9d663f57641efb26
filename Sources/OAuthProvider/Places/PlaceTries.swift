import OstiaryProtocol

/// What is tried so often and no more.
package enum TriedKind: String, Hashable, Sendable {
    /// A code that a device shows, and that none was.
    case userCode
    /// A client that registered itself without a token.
    case registration
}

/// How often each place may try something. All virtual servers of a database count together, and so do all nodes.
package struct TryBudget: Hashable, Sendable {
    /// The longest time for which a try of any kind counts.
    package static let longest: UInt64 = 86_400

    package let kind: TriedKind
    package let pace: Pace

    package init(_ kind: TriedKind, _ pace: Pace) {
        precondition(pace.seconds <= Self.longest, "tries are kept for a day")
        self.kind = kind
        self.pace = pace
    }

    /// Codes that nobody waits with (`Pace.userCodes`).
    package static let userCodes = TryBudget(.userCode, .userCodes)
}

/// By which tries are counted.
package enum TriedFrom: Hashable, Sendable {
    /// An address of IPv4 or a /64 of IPv6; empty for all that has none.
    case address(String)
    /// A /56 of IPv6.
    case network(String)
    /// Whatever comes by this proxy.
    case proxy(String)
}

/// What a place has tried lately of one kind, by itself, with its network and with all that comes by its proxy.
package struct PlaceTries: Hashable, Sendable {
    package struct Part: Hashable, Sendable {
        package let from: TriedFrom
        let pace: Pace
        package let recent: RecentTries
    }

    package let budget: TryBudget
    /// Always in the same order: who writes several rows writes them in the order of all others.
    package let parts: [Part]

    private init(_ budget: TryBudget, _ parts: [Part]) {
        self.budget = budget
        self.parts = parts
    }

    /// - Parameter recent: what was tried lately from each part of the place.
    package init(_ budget: TryBudget, from place: CallPlace, recent: (TriedFrom) throws -> RecentTries) rethrows {
        let levels: [(TriedFrom, Pace)] =
            [(.address(place.address ?? ""), budget.pace)] + (place.network.map { [(.network($0), budget.pace.inNetwork)] } ?? [])
            + (place.proxy.map { [(.proxy($0), budget.pace.throughProxy)] } ?? [])
        self.init(budget, try levels.map { from, pace in Part(from: from, pace: pace, recent: try recent(from)) })
    }

    /// Seconds after which the place may try again; nil when it may now.
    package func wait(at now: Instant) -> UInt64? { parts.compactMap { $0.recent.wait(under: $0.pace, at: now) }.max() }

    /// With one more.
    package func adding(_ mark: [UInt8], at now: Instant) -> PlaceTries {
        changed { $0.recent.noticing(now).adding(CountedTry(mark: mark, at: now), under: $0.pace) }
    }

    /// Remembers of tries that lie ahead of this clock that they do.
    package func noticing(_ now: Instant) -> PlaceTries { changed { $0.recent.noticing(now) } }

    /// Whether a try of this mark was counted.
    package func holds(_ mark: [UInt8]) -> Bool { parts.contains { $0.recent.holds(mark) } }

    private func changed(_ change: (Part) -> RecentTries) -> PlaceTries {
        PlaceTries(budget, parts.map { Part(from: $0.from, pace: $0.pace, recent: change($0)) })
    }
}
