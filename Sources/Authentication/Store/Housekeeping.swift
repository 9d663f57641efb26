import OstiaryProtocol

/// Writes down what ran out, tells whoever listens, and forgets what is old. Nothing depends on it for being right: every reader settles what it
/// reads.
package struct Housekeeping: Sendable {
    /// The most sessions that one run ends in one transaction.
    private static let batch = 200

    private let store: any AuthenticationStore
    private let events: any SessionEvents
    private let enrolments: EnrolmentService
    private let watch = ClockWatch()

    package init(store: any AuthenticationStore, events: any SessionEvents, enrolments: EnrolmentService) {
        self.store = store
        self.events = events
        self.enrolments = enrolments
    }

    package func run(at now: Instant) async throws {
        if watch.isBack(at: now) { try await ClockRepair(store: store).run(at: now) }
        let ended = try await store.write { rows in
            try rows.overdueSessions(at: now, limit: Self.batch).compactMap {
                try SessionStop(reason: .timeout).apply(to: $0, in: rows, at: now)
            }
        }
        for session in ended { events.publish(.ended(session)) }
        try await enrolments.expire(at: now)
        _ = try await store.write { rows in try rows.removeExpired(at: now) }
    }
}
