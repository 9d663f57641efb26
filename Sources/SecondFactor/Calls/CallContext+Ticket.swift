import OstiaryProtocol

extension CallContext {
    /// "At the SFS, on a Ticket" (protocol §7): check, count durably, then evaluate.
    func answer(_ ticket: Encoded<Ticket>, sealed: [UInt8], receipts: [Encoded<Receipt>]) async throws -> CallReply {
        let attempt = ticket.value.attempt.value
        do {
            guard let opened = keys.open(sealed) else { throw TicketRefusal.notOpened }
            let checked = try CheckedTicket.check(ticket, from: caller, sealed: sealed, opened: opened, at: now)
            let proven = try await proved(checked, receipts: receipts)
            switch try await service.tickets.reserve(proven, at: now, steadyFor: steadyFor) {
            case .refused(let refusal, let standing): return refused(attempt, refusal, standing)
            case .admitted(let admitted, let key, let standing):
                // Asked again, or after a crash since the count, it is made again: the same bytes, and the try was counted.
                let evaluation = try service.evaluator.evaluate(checked.blinded, under: key, for: admitted)
                let sealed = try seal(evaluation, of: admitted, to: opened)
                return CallReply(
                    answer: SecondFactorAnswer(
                        attemptID: attempt.attemptID, status: .ok, highest: standing.highest, epoch: standing.epoch, tries: standing.tries,
                        sealed: sealed),
                    record: record(.attempt, attempt.instanceID, "evaluated", context: attempt.context))
            }
        } catch let refusal as TicketRefusal {
            let isByClock = (refusal == .notSigned || refusal == .notOpened) && isOfAnotherClock(ticket)
            return refused(attempt, isByClock ? .clock : refusal, .unknown)
        }
    }

    /// Looks up the rows and verifies what needs them: the device signature and our own receipts.
    private func proved(_ checked: CheckedTicket, receipts: [Encoded<Receipt>]) async throws -> ProvenTicket {
        let attempt = checked.attempt
        let situation = try await store.situation(
            of: attempt.instanceID, attempt: attempt.attemptID, voucher: checked.purpose.voucher)
        let known = facts(of: receipts, for: checked.ticket, situation.instance)
        let freshKey = checked.needsKey(in: situation) ? try service.evaluator.makeKey(for: attempt.instanceID, epoch: attempt.epoch) : nil
        return try checked.proved(in: situation, receipt: known, freshKey: freshKey)
    }

    private func seal(_ evaluation: [UInt8], of attempt: AttemptRecord, to opened: OpenedRequest) throws -> [UInt8] {
        let body = SecondFactorEvaluation(
            attemptID: attempt.id, evaluation: evaluation, evaluationKey: attempt.newEvaluationKey, tries: attempt.tries)
        return try opened.answer(.ok, body: body.encoded, at: now, signedBy: keys.operatorKey)
    }

    private func refused(_ attempt: Attempt, _ refusal: TicketRefusal, _ standing: Standing) -> CallReply {
        CallReply(
            answer: SecondFactorAnswer(
                attemptID: attempt.attemptID, status: refusal.status, highest: standing.highest, epoch: standing.epoch,
                tries: tries(of: refusal, standing)),
            record: record(.attempt, attempt.instanceID, "\(refusal)", context: attempt.context))
    }

    /// While a penalty lasts the wait is the one that was decided, to the second.
    private func tries(of refusal: TicketRefusal, _ standing: Standing) -> Tries {
        guard case .penalised(let wait) = refusal else { return standing.tries }
        let tries = standing.tries
        return Tries(failed: tries.failed, most: tries.most, wait: UInt32(clamping: wait), withoutPINLeft: tries.withoutPINLeft)
    }
}
