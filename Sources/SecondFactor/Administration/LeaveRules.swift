import OstiaryProtocol

/// What becomes of a Leave (protocol §13).
package enum LeaveOutcome: Equatable, Sendable {
    /// The key is not there any more, by this call or since before.
    case left(Standing)
    case refused(Standing)
}

/// One account of several is gone: its device key makes room and signs nothing any more. The PIN, its tries and the other keys stay. Saying it
/// twice, or of a key or an instance that never was, is harmless. The key of another enrolment is another, but for that of an upgrade, which the authentication
/// server begins only when no Leave of the key waits.
package enum LeaveRules {
    package static func decide(
        _ deviceKey: [UInt8], _ id: InstanceID, by owner: VirtualServer, in situation: Situation, at now: Instant, under policy: Policy
    ) -> Ruling<LeaveOutcome> {
        let standing = Standing(situation.instance, at: now, under: policy)
        guard situation.instance.map({ $0.owner == owner }) ?? true else { return Ruling(.refused(standing)) }
        guard var instance = situation.instance, instance.deviceKeys.contains(deviceKey) else { return Ruling(.left(standing)) }
        instance.leave(deviceKey)
        var changes = [Change.saveInstance(instance)]
        if let pending = situation.pending, pending.deviceKey == deviceKey { changes += [.supersede(pending.attemptID), .dropPending(id)] }
        return Ruling(.left(standing), changes)
    }
}
