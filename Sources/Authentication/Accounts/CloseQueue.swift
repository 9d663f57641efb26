import OstiaryProtocol

/// Tells the second-factor server of instances and device keys that nobody uses any more, again and again until it knows (protocol §13).
package struct CloseQueue: Sendable {
    /// The most of a kind that one run sends.
    static let batch = 32
    /// The most that are under way at once: what waits long for its answer takes the place of one, and holds up no other. Half of the connections
    /// that the client to the second-factor server keeps are left to logins.
    static let sideBySide = 4
    /// Seconds for which something may wait before the operator is told.
    static let patience: UInt64 = 600

    let store: any AuthenticationStore
    let secondFactor: SecondFactorClient

    package init(store: any AuthenticationStore, secondFactor: SecondFactorClient) {
        self.store = store
        self.secondFactor = secondFactor
    }

    /// Sends what is due, the longest due first, and answers how many were confirmed. A failure is no error: it is tried again later.
    @discardableResult
    package func run(at now: Instant) async throws -> Int {
        var due = try await store.read { rows in
            let leaves = try rows.dueLeaves(at: now, limit: Self.batch).map(Errand.leave)
            return try leaves + rows.dueCloses(at: now, limit: Self.batch).map(Errand.close)
        }.sorted { $0.dueAt < $1.dueAt }[...]
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            for errand in due.prefix(Self.sideBySide) { group.addTask { try await send(errand, at: now) } }
            due = due.dropFirst(Self.sideBySide)
            var confirmed = 0
            while let isDone = try await group.next() {
                confirmed += isDone ? 1 : 0
                if let next = due.popFirst() { group.addTask { try await send(next, at: now) } }
            }
            return confirmed
        }
    }

    /// Since when something waits that should long have been confirmed; nil while nothing does.
    package func overdue(at now: Instant) async throws -> Instant? {
        let oldest = try await store.read { rows in [try rows.oldestClose(), try rows.oldestLeave()].compactMap { $0 }.min() }
        guard let oldest, now.seconds(since: oldest) >= Self.patience else { return nil }
        return oldest
    }

    private enum Errand: Sendable {
        case leave(PendingLeave)
        case close(PendingClose)

        var dueAt: Instant {
            switch self {
            case .leave(let leave): leave.retry.dueAt
            case .close(let close): close.retry.dueAt
            }
        }
    }

    /// Whether it was confirmed; if not, it is put off.
    private func send(_ errand: Errand, at now: Instant) async throws -> Bool {
        switch errand {
        case .leave(let leave):
            let isDone = try await answer { try await secondFactor.leave(leave.deviceKey, leave.instance, at: leave.server, now: now) } == .ok
            try await store.write { rows, _ in
                if isDone { try rows.removeLeave(of: leave.deviceKey) } else { try rows.queue(leave.postponed(at: now)) }
            }
            return isDone
        case .close(let close):
            let status = try await answer { try await secondFactor.close(close.instance, at: close.server, now: now) }
            // An instance that the second-factor server never saw has no key to erase.
            let isDone = status == .ok || status == .closed || status == .secondFactorUnknown
            try await store.write { rows, _ in
                if isDone { try rows.removeClose(of: close.instance) } else { try rows.queue(close.postponed(at: now)) }
            }
            return isDone
        }
    }

    /// - Throws: `CancellationError` for what this server gave up itself: that was no try in vain.
    private func answer(_ ask: () async throws -> Status) async throws -> Status? {
        if let status = try? await ask() { return status }
        try Task.checkCancellation()
        return nil
    }
}
