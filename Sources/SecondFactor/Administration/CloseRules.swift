import OstiaryProtocol

/// What becomes of a Close (protocol §13).
package enum CloseOutcome: Equatable, Sendable {
    /// There is no key any more, by this call or since before.
    case closed(Standing)
    case refused(Standing)
}

/// The last account of an instance is gone: its key is erased for good. Saying it twice, or of an instance that never was, is harmless.
package enum CloseRules {
    package static func decide(
        _ id: InstanceID, by owner: VirtualServer, in situation: Situation, at now: Instant, under policy: Policy
    ) -> Ruling<CloseOutcome> {
        let standing = Standing(situation.instance, at: now, under: policy)
        guard situation.instance.map({ $0.owner == owner }) ?? true, situation.pending.map({ $0.owner == owner }) ?? true else {
            return Ruling(.refused(standing))
        }
        var changes: [Change] = []
        if var instance = situation.instance, instance.state != .closed {
            instance.close()
            changes.append(.saveInstance(instance))
        }
        if !changes.isEmpty || situation.pending != nil { changes.append(.forgetAttempts(of: id)) }
        if situation.pending != nil { changes.append(.dropPending(id)) }
        return Ruling(.closed(standing), changes)
    }
}
