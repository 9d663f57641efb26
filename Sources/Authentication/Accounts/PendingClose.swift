import OstiaryProtocol

/// A Close that the second-factor server has not confirmed yet.
package struct PendingClose: Equatable, Sendable {
    package let instance: InstanceID
    package let server: ServerID
    package var retry: RetrySchedule

    package init(instance: InstanceID, server: ServerID, retry: RetrySchedule) {
        self.instance = instance
        self.server = server
        self.retry = retry
    }

    /// The same wish after one more try in vain.
    func postponed(at now: Instant) -> PendingClose {
        var next = self
        next.retry.postpone(at: now)
        return next
    }
}

/// The queue of closes, inside a transaction.
package protocol CloseRows: AnyObject {
    func queue(_ close: PendingClose) throws
    func dueCloses(at now: Instant, limit: Int) throws -> [PendingClose]
    func removeClose(of instance: InstanceID) throws
}

/// Tells the second-factor server of instances and device keys that nobody uses any more, again and again until it knows (protocol §13).
package struct CloseQueue: Sendable {
    /// The most of a kind that one run sends.
    static let batch = 32

    let store: any AuthenticationStore
    let secondFactor: SecondFactorClient

    package init(store: any AuthenticationStore, secondFactor: SecondFactorClient) {
        self.store = store
        self.secondFactor = secondFactor
    }

    /// Sends what is due and answers how many were confirmed. A failure is no error: it is tried again later.
    @discardableResult
    package func run(at now: Instant) async throws -> Int {
        var confirmed = try await runLeaves(at: now)
        for close in try await store.read({ rows in try rows.dueCloses(at: now, limit: Self.batch) }) {
            let status = try? await secondFactor.close(close.instance, at: close.server, now: now)
            // An instance that the second-factor server never saw has no key to erase.
            let isDone = status == .ok || status == .closed || status == .secondFactorUnknown
            try await store.write { rows, _ in
                if isDone { try rows.removeClose(of: close.instance) } else { try rows.queue(close.postponed(at: now)) }
            }
            confirmed += isDone ? 1 : 0
        }
        return confirmed
    }
}
