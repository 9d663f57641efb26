import OstiaryProtocol

/// Writes down what ran out, tells whoever listens, and forgets what is old. Nothing depends on it for being right: every reader settles what it
/// reads.
package struct Housekeeping: Sendable {
    /// The most rows of a kind that one transaction changes, so that nobody waits long for the next.
    private static let batch = 200
    /// The most transactions of a run: what is left waits for the next.
    private static let rounds = 50

    private let store: any AuthenticationStore
    private let events: any SessionEvents
    private let enrolments: EnrolmentService
    private let others: [any MomentKeeper]
    private let watch: ClockWatch
    private let auditRetention: UInt64?

    /// - Parameters:
    ///   - others: what else runs out, and is brought back when a clock that ran ahead was put right.
    ///   - watch: what notes the moments that are written.
    ///   - auditRetention: seconds for which the audit trail is kept; nil for ever.
    package init(
        store: any AuthenticationStore, events: any SessionEvents, enrolments: EnrolmentService, others: [any MomentKeeper] = [],
        watch: ClockWatch = ClockWatch(), auditRetention: UInt64? = nil
    ) {
        self.store = store
        self.events = events
        self.enrolments = enrolments
        self.others = others
        self.watch = watch
        self.auditRetention = auditRetention
    }

    /// Brings back what this node's clock wrote ahead, if it was put right; of several nodes, each for itself, whoever has the work in the background.
    ///
    /// Whoever does not have it calls this only while another machine's clock agrees with `now`: to a clock that fell behind everything lies ahead.
    package func bringBack(at now: Instant) async throws {
        if watch.isBack(at: now) { try await ClockRepair(store: store, others: others).run(at: now) }
    }

    package func run(at now: Instant) async throws {
        try await bringBack(at: now)
        try await inBatches { try await endSessions(at: now) }
        try await enrolments.expire(at: now)
        try await inBatches { try await store.write { rows, _ in try rows.removeExpired(at: now, limit: Self.batch) } }
        for keeper in others { try await inBatches { try await keeper.removeExpired(at: now, limit: Self.batch) } }
        guard let auditRetention else { return }
        try await inBatches { try await store.write { rows, _ in try rows.removeAudit(before: now - auditRetention, limit: Self.batch) } }
    }

    private func inBatches(_ body: () async throws -> Int) async throws {
        for _ in 0..<Self.rounds where try await body() < Self.batch { return }
    }

    private func endSessions(at now: Instant) async throws -> Int {
        let ended = try await store.write { rows, former -> [Session] in
            let ended = try rows.overdueSessions(at: now, limit: Self.batch).compactMap {
                try SessionStop(reason: .timeout, actor: .server).apply(to: $0, in: rows, at: now)
            }
            return (former ?? []) + ended
        }
        for session in ended { events.publish(.ended(session)) }
        return ended.count
    }
}
