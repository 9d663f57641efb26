import OstiaryMobile

/// Everything that a phone told, in order, to wait in.
actor EventLog {
    private var unread: [OstiaryEvent] = []
    private var waiting: CheckedContinuation<OstiaryEvent?, Never>?
    private var turn = 0
    private var reader: Task<Void, Never>?

    init(_ ostiary: Ostiary) {
        let events = ostiary.events
        Task { await self.read(events) }
    }

    deinit { reader?.cancel() }

    /// The next event that `choose` makes something of; those before it are dropped.
    /// - Returns: nil when none came within `patience`.
    func next<Value: Sendable>(within patience: Duration = .seconds(60), _ choose: @Sendable (OstiaryEvent) -> Value?) async -> Value? {
        let deadline = ContinuousClock.now + patience
        while let event = await next(until: deadline) {
            if let value = choose(event) { return value }
        }
        return nil
    }

    private func read(_ events: AsyncStream<OstiaryEvent>) {
        reader = Task { [weak self] in
            for await event in events { await self?.take(event) }
        }
    }

    private func take(_ event: OstiaryEvent) {
        if let waiting {
            self.waiting = nil
            waiting.resume(returning: event)
        } else {
            unread.append(event)
        }
    }

    private func next(until deadline: ContinuousClock.Instant) async -> OstiaryEvent? {
        if !unread.isEmpty { return unread.removeFirst() }
        turn += 1
        let mine = turn
        Task {
            try? await Task.sleep(until: deadline)
            self.giveUp(mine)
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiting = $0 }
        } onCancel: {
            Task { await self.giveUp(mine) }
        }
    }

    private func giveUp(_ theirs: Int) {
        guard theirs == turn, let waiting else { return }
        self.waiting = nil
        waiting.resume(returning: nil)
    }
}
