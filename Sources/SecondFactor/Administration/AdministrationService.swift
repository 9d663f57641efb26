import OstiaryProtocol

/// What ends instances and accounts, and gives tries back.
package struct AdministrationService: Sendable {
    private let store: any SecondFactorStore
    private let policy: Policy

    package init(store: any SecondFactorStore, policy: Policy) {
        self.store = store
        self.policy = policy
    }

    /// Erases the key of an instance (``CloseRules``).
    package func close(_ instance: InstanceID, by owner: VirtualServer, at now: Instant) async throws -> CloseOutcome {
        let policy = policy
        return try await store.write { rows in
            let situation = Situation(instance: try rows.instance(instance), pending: try rows.pendingKey(of: instance))
            return try rows.apply(CloseRules.decide(instance, by: owner, in: situation, at: now, under: policy))
        }
    }

    /// Takes a device key out of an instance (``LeaveRules``).
    package func leave(_ deviceKey: [UInt8], _ instance: InstanceID, by owner: VirtualServer, at now: Instant) async throws -> LeaveOutcome {
        let policy = policy
        return try await store.write { rows in
            let situation = Situation(instance: try rows.instance(instance), pending: try rows.pendingKey(of: instance))
            return try rows.apply(LeaveRules.decide(deviceKey, instance, by: owner, in: situation, at: now, under: policy))
        }
    }

    /// Lifts a block (``ResetRules``).
    package func reset(_ instance: InstanceID, _ source: ResetSource, at now: Instant) async throws -> ResetOutcome {
        let policy = policy
        return try await store.write { rows, former in
            let resets = try rows.resets(of: instance, since: now - Times.resetSpan)
            // Written down by the first look.
            if let former, case .granted = former, resets.contains(where: { $0.grantedAt == now && $0.messageTime == source.messageTime }) {
                return former
            }
            let situation = Situation(instance: try rows.instance(instance), resets: resets)
            let ruling = ResetRules.decide(source, in: situation, at: now, under: policy)
            if let former, case .repeated = ruling.outcome { return former }
            return try rows.apply(ruling)
        }
    }
}
