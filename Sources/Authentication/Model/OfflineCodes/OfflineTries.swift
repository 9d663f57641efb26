import OstiaryProtocol

/// When codes of one reference were tried, right and wrong. One that names nobody has them as any other: nothing tells which do (protocol §9).
package struct OfflineTries: Equatable, Sendable {
    /// Tries within ``burstSpan`` seconds.
    package static let burst = 5
    package static let burstSpan: UInt64 = 240
    /// Tries within ``span`` seconds, a day.
    package static let most = 10
    package static let span: UInt64 = 86_400
    /// Seconds for which the reference of an account that is gone names nobody else: a year.
    package static let reservedFor: UInt64 = 31_536_000

    package let server: ServerID
    package let reference: UInt32
    /// In the order in which they came, the newest ``most``.
    package private(set) var moments: [Instant]
    /// Until when nobody else gets the reference; nil while its account is there, or there never was one.
    package private(set) var reservedUntil: Instant?

    package init(server: ServerID, reference: UInt32, moments: [Instant] = [], reservedUntil: Instant? = nil) {
        self.server = server
        self.reference = reference
        self.moments = moments.suffix(Self.most)
        self.reservedUntil = reservedUntil
    }

    /// Seconds until there is another try; nil when there is one now. It measures by distance, so that a clock that is put back gives none.
    func wait(at now: Instant) -> UInt64? {
        let waits = [(Self.burst, Self.burstSpan), (Self.most, Self.span)].compactMap { most, span in
            let recent = moments.map { now.distance(to: $0) }.filter { $0 < span }
            return recent.count < most ? nil : span - recent[recent.count - most]
        }
        return waits.max()
    }

    /// With one more.
    func counted(at now: Instant) -> OfflineTries {
        OfflineTries(
            server: server, reference: reference, moments: moments.filter { now.distance(to: $0) < Self.span } + [now], reservedUntil: reservedUntil)
    }

    /// After the account that it named has gone.
    func reserved(at now: Instant) -> OfflineTries {
        var reserved = self
        reserved.reservedUntil = now + Self.reservedFor
        return reserved
    }

    /// The last moment at which anything follows from it.
    package var lastMoment: Instant { max(moments.map { $0 + Self.span }.max() ?? Instant(0), reservedUntil ?? Instant(0)) }
}

/// How many codes were wrong at a virtual server, whoever typed them: what keeps somebody who knows a million references from being right by chance
/// (protocol §9).
package struct OfflineFailures: Equatable, Sendable {
    /// After so many within ``span`` seconds, which begin with the first, no code is looked at any more until they are over.
    package static let most: UInt32 = 1_000
    package static let span: UInt64 = 86_400

    package let server: ServerID
    package let since: Instant
    package let count: UInt32

    package init(server: ServerID, since: Instant, count: UInt32) {
        self.server = server
        self.since = since
        self.count = count
    }

    /// Seconds for which codes are paused; nil while they are not.
    func wait(at now: Instant) -> UInt64? { isOver(at: now) || count < Self.most ? nil : Self.span - now.distance(to: since) }

    /// With one more.
    func counted(at now: Instant) -> OfflineFailures {
        isOver(at: now) ? OfflineFailures(server: server, since: now, count: 1) : OfflineFailures(server: server, since: since, count: count + 1)
    }

    /// Without the one that was counted before the code turned out to be right.
    var takenBack: OfflineFailures { OfflineFailures(server: server, since: since, count: count - min(count, 1)) }

    /// Whether the one that was counted last pauses codes.
    var pauses: Bool { count == Self.most }

    private func isOver(at now: Instant) -> Bool { now.distance(to: since) >= Self.span }
}
