import OstiaryProtocol

/// Writes down what ran out, tells whoever listens, and forgets what is old. Nothing depends on it for being right: every reader settles what it
/// reads.
package struct Housekeeping: Sendable {
    /// The most rows of a kind that one transaction changes, so that nobody waits long for the next.
    static let batch = 200
    /// The most transactions of a kind in a run: then it is looked again what there is of the others, and whether a clock was put right.
    static let rounds = 50

    private let store: any AuthenticationStore
    private let events: any SessionEvents
    private let enrolments: EnrolmentService
    private let others: [any MomentKeeper]
    private let watch: ClockWatch
    private let auditRetention: UInt64?
    private let deletedRetention: UInt64?

    /// - Parameters:
    ///   - others: what else runs out, and is brought back when a clock that ran ahead was put right.
    ///   - watch: what notes the moments that are written.
    ///   - auditRetention: seconds for which the audit trail is kept; nil for ever.
    ///   - deletedRetention: the same of deleted accounts, that there was one.
    package init(
        store: any AuthenticationStore, events: any SessionEvents, enrolments: EnrolmentService, others: [any MomentKeeper] = [],
        watch: ClockWatch = ClockWatch(), auditRetention: UInt64? = nil, deletedRetention: UInt64? = nil
    ) {
        self.store = store
        self.events = events
        self.enrolments = enrolments
        self.others = others
        self.watch = watch
        self.auditRetention = auditRetention
        self.deletedRetention = deletedRetention
    }

    /// Brings back what this node's clock wrote ahead, if it was put right; of several nodes, each for itself, whoever has the work in the background.
    ///
    /// Whoever does not have it calls this only while another machine's clock agrees with `now`: to a clock that fell behind everything lies ahead.
    package func bringBack(at now: Instant) async throws {
        if watch.isBack(at: now) { try await ClockRepair(store: store, others: others).run(at: now) }
    }

    /// Takes a batch of each kind in turn, and goes on with those of which one was full.
    /// - Parameter mayGoOn: asked after each full batch. Whatever it waits for, others have the database meanwhile; false ends the run.
    /// - Returns: whether there is more, for the next run at once; false where `mayGoOn` ended this one.
    @discardableResult
    package func run(at now: Instant, while mayGoOn: () async throws -> Bool = { true }) async throws -> Bool {
        try await bringBack(at: now)
        var kinds = kinds
        for _ in 0..<Self.rounds {
            var left: [Kind] = []
            for kind in kinds where try await kind(now) >= Self.batch {
                left.append(kind)
                guard try await mayGoOn() else { return false }
            }
            kinds = left
        }
        return !kinds.isEmpty
    }

    /// A transaction that takes at most a batch of one kind, and answers how many rows it took.
    private typealias Kind = @Sendable (Instant) async throws -> Int

    private var kinds: [Kind] {
        var kinds: [Kind] = [
            { try await endSessions(at: $0) },
            { try await enrolments.expire(at: $0, limit: Self.batch) },
            { now in try await forget { rows in try rows.removeExpired(at: now, limit: Self.batch) } },
        ]
        kinds += others.map { keeper in { try await keeper.removeExpired(at: $0, limit: Self.batch) } }
        if let deletedRetention {
            kinds.append { now in try await forget { rows in try rows.removeDeleted(before: now - deletedRetention, limit: Self.batch) } }
        }
        if let auditRetention {
            kinds.append { now in try await forget { rows in try rows.removeAudit(before: now - auditRetention, limit: Self.batch) } }
        }
        return kinds
    }

    /// What a first look took is gone or still there: in both cases there may be more.
    private func forget(_ body: @Sendable @escaping (any AuthenticationRows) throws -> Int) async throws -> Int {
        try await store.write { rows, former in max(try body(rows), former ?? 0) }
    }

    private func endSessions(at now: Instant) async throws -> Int {
        let ended = try await store.write { rows, former -> [Session] in
            let over = try rows.overdueSessions(at: now, limit: Self.batch)
            let ended = try SessionStop(reason: .timeout, actor: .server).apply(to: over, in: rows, at: now)
            return (former ?? []) + ended
        }
        for session in ended { events.publish(.ended(session)) }
        return ended.count
    }
}
