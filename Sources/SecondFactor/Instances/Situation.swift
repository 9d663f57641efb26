import OstiaryProtocol

/// The rows that one decision may look at: those of one instance and of one attempt, read in one transaction.
package struct Situation: Equatable, Sendable {
    package var instance: Instance?
    package var attempt: AttemptRecord?
    package var pending: PendingKey?
    /// The PIN_CHANGE_VERIFY that a PIN_CHANGE_SET names.
    package var voucher: AttemptRecord?
    /// When resets by message were granted in the last ``Times/resetSpan``; read for resets only.
    package var resets: [ResetRecord]
    /// Seconds for which this server's clock has gone on without a leap (``SteadySpan``); 0 where that is not known.
    package var steadyFor: UInt64 = 0

    package static let empty = Situation()

    package init(
        instance: Instance? = nil, attempt: AttemptRecord? = nil, pending: PendingKey? = nil, voucher: AttemptRecord? = nil,
        resets: [ResetRecord] = []
    ) {
        self.instance = instance
        self.attempt = attempt
        self.pending = pending
        self.voucher = voucher
        self.resets = resets
    }
}

extension Situation {
    /// The rows by a clock that was put right. Whoever changes the instance saves it so.
    func settled(at now: Instant) -> Situation {
        var situation = self
        situation.instance = instance?.settled(at: now, steadyFor: steadyFor)
        return situation
    }
}

/// One change of the rows. All changes of a ruling are made in the transaction in which it was made.
package enum Change: Equatable, Sendable {
    /// Replaces the row of the instance; a key that is not in it any more is overwritten.
    case saveInstance(Instance)
    case saveAttempt(AttemptRecord)
    /// Replaces what was pending for the instance; the former key is overwritten.
    case hold(PendingKey)
    case dropPending(InstanceID)
    case supersede(AttemptID)
    case forgetAttempts(of: InstanceID)
    case log(ResetRecord)
}

/// What a rule answers: the outcome, and what to change before anybody hears of it: the instance, then attempts, then the pending key (docs/decisions/0075).
package struct Ruling<Outcome: Sendable>: Sendable {
    package let outcome: Outcome
    package let changes: [Change]

    package init(_ outcome: Outcome, _ changes: [Change] = []) {
        self.outcome = outcome
        self.changes = changes
    }
}

/// What an authentication server is told of the counter, whatever the outcome.
package struct Standing: Equatable, Sendable {
    package let highest: UInt64
    package let epoch: UInt32
    package let tries: Tries

    package init(highest: UInt64, epoch: UInt32, tries: Tries) {
        self.highest = highest
        self.epoch = epoch
        self.tries = tries
    }

    package static let unknown = Standing(highest: 0, epoch: 0, tries: .none)

    /// The standing of an instance, as far as a receipt does not know better.
    package init(_ instance: Instance?, repairedBy receipt: ReceiptFacts? = nil, at now: Instant, under policy: Policy) {
        guard let instance else {
            self = .unknown
            return
        }
        let repaired = instance.repaired(by: receipt)
        self.init(highest: repaired.counter.highest, epoch: repaired.epoch, tries: repaired.tries(at: now, under: policy))
    }
}
