import OstiaryProtocol

extension CallContext {
    /// Close (protocol §13): valid however old it is, since an authentication server repeats it until it was heard.
    func answer(_ close: Encoded<Close>) async throws -> CallReply {
        guard isSignedByCaller(close, at: now) else {
            return answer(close, .refused, .unknown, record(.close, close.value.instanceID, "not signed by its caller"))
        }
        switch try await service.administration.close(close.value.instanceID, by: caller.server, at: now) {
        case .closed(let standing):
            return answer(close, .ok, standing, record(.close, close.value.instanceID, "closed"))
        case .refused:
            return answer(close, .refused, .unknown, record(.close, close.value.instanceID, "belongs to another server"))
        }
    }

    /// Leave (protocol §13): as old as a Close may be, for the same reason.
    func answer(_ leave: Encoded<Leave>) async throws -> CallReply {
        let instance = leave.value.instanceID
        guard isSignedByCaller(leave, at: now) else {
            return answer(leave, .refused, .unknown, record(.leave, instance, "not signed by its caller"))
        }
        switch try await service.administration.leave(leave.value.deviceKey, instance, by: caller.server, at: now) {
        case .left(let standing):
            return answer(leave, .ok, standing, record(.leave, instance, "left"))
        case .refused:
            return answer(leave, .refused, .unknown, record(.leave, instance, "belongs to another server"))
        }
    }

    /// Reset (docs/protocol/second-factor). Granted ones are in the audit table too.
    func answer(_ reset: Encoded<Reset>) async throws -> CallReply {
        let instance = reset.value.instanceID
        guard isSignedByCaller(reset, at: now) else {
            return answer(reset, .refused, .unknown, record(.reset, instance, "not signed by its caller"))
        }
        switch try await service.administration.reset(instance, .message(by: caller.server, time: reset.value.time), at: now) {
        case .granted(let standing):
            return answer(reset, .ok, standing, record(.reset, instance, "granted", isNotable: true))
        case .repeated(let standing):
            return answer(reset, .ok, standing, record(.reset, instance, "repeated"))
        case .notBlocked(let standing):
            return answer(reset, .ok, standing, record(.reset, instance, "not blocked"))
        case .refused(let refusal, let standing):
            return answer(
                reset, refusal.status, refusal == .otherServer ? .unknown : standing, record(.reset, instance, "\(refusal)", isNotable: true))
        }
    }

    private func answer(
        _ order: Encoded<some SecondFactorOrder>, _ status: Status, _ standing: Standing, _ record: CallRecord
    ) -> CallReply {
        CallReply(
            answer: SecondFactorAnswer(
                attemptID: order.answerID, status: status, highest: standing.highest, epoch: standing.epoch, tries: standing.tries),
            record: record)
    }
}
