import OstiaryProtocol

/// Every feature's rows, in one transaction.
package protocol SecondFactorRows: InstanceRows, AttemptRows, PendingKeyRows, ResetRows, ExpiryRows {}

extension SecondFactorRows {
    /// What a rule may look at that decides about one attempt.
    /// - Parameter seconds: for which the clock has gone on without a leap.
    package func situation(
        of instance: InstanceID, attempt: AttemptID, voucher: AttemptID? = nil, steadyFor seconds: UInt64 = 0
    ) throws -> Situation {
        var situation = Situation(
            instance: try self.instance(instance), attempt: try self.attempt(attempt), pending: try pendingKey(of: instance),
            voucher: try voucher.flatMap { try self.attempt($0) })
        situation.steadyFor = seconds
        return situation
    }

    /// Makes the changes of a ruling, and answers its outcome.
    package func apply<Outcome>(_ ruling: Ruling<Outcome>) throws -> Outcome {
        for change in ruling.changes { try make(change) }
        return ruling.outcome
    }

    package func make(_ change: Change) throws {
        switch change {
        case .saveInstance(let instance): try save(instance)
        case .saveAttempt(let attempt): try save(attempt)
        case .hold(let key): try save(key)
        case .dropPending(let instance): try removePendingKey(of: instance)
        case .supersede(let attempt): try supersede(attempt)
        case .forgetAttempts(let instance): try removeAttempts(of: instance)
        case .log(let record): try add(record)
        }
    }
}
