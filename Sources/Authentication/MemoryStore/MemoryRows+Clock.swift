import OstiaryProtocol

extension MemoryRows {
    func sessions(writtenAfter moment: Instant, limit: Int) throws -> [Session] {
        let ahead = state.sessions.values.filter { session in
            session.startedAt > moment || session.state.lastAnswer.map { $0 > moment } ?? false
        }
        return Array(ahead.prefix(limit))
    }

    func enrolments(expiringAfter moment: Instant, limit: Int) throws -> [Enrolment] {
        Array(state.enrolments.filter { $0.expiresAt > moment && $0.isUnfinished }.prefix(limit))
    }

    func removeCaches(verifiedAfter moment: Instant, orActivatedAfter activation: Instant) throws {
        state.caches = state.caches.filter { _, cache in
            cache.verifiedAt <= moment && !(cache.isSingleUse && cache.expiresAt > activation + FactorCache.activationLife)
        }
    }

    func closes(dueAfter moment: Instant) throws -> [PendingClose] { state.closes.values.filter { $0.retry.dueAt > moment } }
    func leaves(dueAfter moment: Instant) throws -> [PendingLeave] { state.leaves.values.filter { $0.retry.dueAt > moment } }
}

extension SessionState {
    /// When the app answered last, of a session that was logged in.
    fileprivate var lastAnswer: Instant? {
        switch self {
        case .returning(let login, _), .loggedIn(let login), .stopped(let login, _, _): login.lastPing
        case .open, .claimed, .denied, .expired: nil
        }
    }
}

extension Enrolment {
    fileprivate var isUnfinished: Bool {
        switch state {
        case .open, .claimed, .confirming: true
        case .active, .failed: false
        }
    }
}
