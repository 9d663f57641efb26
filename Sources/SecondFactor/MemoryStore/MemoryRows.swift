import OstiaryProtocol

/// The rows of one transaction in memory.
final class MemoryRows: SecondFactorRows {
    var state: MemoryState

    init(_ state: MemoryState) { self.state = state }

    func instance(_ id: InstanceID) throws -> Instance? { state.instances[id] }
    func save(_ instance: Instance) throws { state.instances[instance.id] = instance }

    func lookAhead(of moment: Instant, behind place: InstanceID?, limit: Int) throws -> LookAhead {
        let inOrder = state.instances.values.sorted { $0.id.bytes.lexicographicallyPrecedes($1.id.bytes) }
        let looked = inOrder.drop { instance in
            guard let place else { return false }
            return !place.bytes.lexicographicallyPrecedes(instance.id.bytes)
        }.prefix(limit)
        return LookAhead(
            ahead: looked.filter { $0.counter.lastSeen > moment }.map(\.id), last: looked.count < limit ? nil : looked.last?.id)
    }

    func attempt(_ id: AttemptID) throws -> AttemptRecord? { state.attempts[id] }
    func save(_ attempt: AttemptRecord) throws { state.attempts[attempt.id] = attempt }

    func supersede(_ attempt: AttemptID) throws { state.attempts[attempt]?.state = .superseded }

    func removeAttempts(of instance: InstanceID) throws {
        state.attempts = state.attempts.filter { $0.value.instanceID != instance }
    }

    func pendingKey(of instance: InstanceID) throws -> PendingKey? { state.pending[instance] }
    func save(_ key: PendingKey) throws { state.pending[key.instanceID] = key }
    func removePendingKey(of instance: InstanceID) throws { state.pending[instance] = nil }

    func resets(of instance: InstanceID, since: Instant) throws -> [ResetRecord] {
        state.resets.filter { $0.instanceID == instance && $0.grantedAt >= since }
    }

    func add(_ record: ResetRecord) throws { state.resets.append(record) }

    func removeResets(before moment: Instant, limit: Int) throws -> Int {
        let oldest = state.resets.prefix(limit)
        let kept = oldest.filter { $0.grantedAt >= moment }
        state.resets.replaceSubrange(oldest.indices, with: kept)
        return oldest.count - kept.count
    }

    func removeExpired(at now: Instant, limit: Int) throws -> Int {
        let attempts = state.attempts.values.filter { $0.expiresAt <= now }.prefix(limit)
        for attempt in attempts { state.attempts[attempt.id] = nil }
        return attempts.count + (try removePendingKeys(expiredAt: now, limit: limit - attempts.count))
    }

    func removePendingKeys(expiredAt now: Instant, limit: Int) throws -> Int {
        let keys = state.pending.values.filter { $0.expiresAt <= now }.prefix(limit)
        for key in keys { state.pending[key.instanceID] = nil }
        return keys.count
    }
}
