import OstiaryProtocol

/// Who lifts a block.
package enum ResetSource: Hashable, Sendable {
    /// An authentication server, by a signed Reset of this time.
    case message(by: VirtualServer, time: Instant)
    /// An operator at the machine; the virtual server is named when the instance is to be checked against it.
    case command(for: ServerID?)

    /// The time in the message; nil for an operator's command.
    package var messageTime: Instant? {
        switch self {
        case .message(_, let time): time
        case .command: nil
        }
    }
}

/// What becomes of a reset.
package enum ResetOutcome: Equatable, Sendable {
    case granted(Standing)
    /// The same message again: what it did was done, nothing is given a second time.
    case repeated(Standing)
    /// A message about an instance whose tries are not used up: its time is noted, nothing else changes, and none of the resets of the day is used.
    case notBlocked(Standing)
    case refused(ResetRefusal, Standing)
}

/// A person who lost all tries comes back (docs/protocol/second-factor): `ok := hi`, no penalty, `pinOk` stays.
package enum ResetRules {
    package static func decide(
        _ source: ResetSource, in situation: Situation, at now: Instant, under policy: Policy
    ) -> Ruling<ResetOutcome> {
        let standing = Standing(situation.instance, at: now, under: policy)
        do throws(ResetRefusal) {
            guard var instance = situation.instance else { throw .unknownInstance }
            try checkOwner(source, instance)
            guard instance.state != .closed else { throw .closed }
            if case .message(_, let time) = source {
                guard now.distance(to: time) <= Times.requestWindow else { throw .clock }
                guard try instance.takeReset(of: time, at: now) else { return Ruling(.repeated(standing)) }
                guard instance.counter.isUsedUp(under: policy) else { return Ruling(.notBlocked(standing), [.saveInstance(instance)]) }
                // One that was signed before the last try was counted is about another state, and may have been held back.
                let settled = instance.settled(at: now)
                guard time >= settled.counter.lastSeen else {
                    // By a clock that was put right this is now, for this message; kept, it is no later for the next.
                    return Ruling(.refused(.clock, standing), settled == instance ? [] : [.saveInstance(settled)])
                }
                guard grantedByMessage(situation, at: now) < policy.resetsPerDay else { throw .tooMany }
            }
            let record = record(of: source, instance, at: now)
            instance.counter.reset(at: now)
            return Ruling(.granted(Standing(instance, at: now, under: policy)), [.saveInstance(instance), .log(record)])
        } catch {
            return Ruling(.refused(error, standing))
        }
    }

    private static func checkOwner(_ source: ResetSource, _ instance: Instance) throws(ResetRefusal) {
        switch source {
        case .message(let server, _): guard instance.owner == server else { throw .otherServer }
        case .command(let serverID?): guard instance.owner.id == serverID else { throw .otherServer }
        case .command(nil): break
        }
    }

    private static func grantedByMessage(_ situation: Situation, at now: Instant) -> Int {
        // One of a clock that ran ahead by more than the span is not of this day, and keeps nobody out until that clock is reached.
        situation.resets.count { $0.messageTime != nil && now.distance(to: $0.grantedAt) < Times.resetSpan }
    }

    private static func record(of source: ResetSource, _ instance: Instance, at now: Instant) -> ResetRecord {
        ResetRecord(
            instanceID: instance.id, serverID: instance.owner.id, grantedAt: now, messageTime: source.messageTime, highest: instance.counter.highest,
            proven: instance.counter.proven)
    }
}
