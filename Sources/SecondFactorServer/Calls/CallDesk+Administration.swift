import Logging
import OstiaryProtocol
import SecondFactor

extension CallDesk.Desk {
    /// Close (protocol §13): valid however old it is, since an authentication server repeats it until it was heard.
    func answer(_ close: Encoded<Close>) async throws -> SecondFactorAnswer {
        guard isSignedByCaller(close, at: now) else {
            log("close", close.value.instanceID, "not signed by its caller")
            return answer(close, .refused, .unknown)
        }
        switch try await store.close(close.value.instanceID, by: caller.server, at: now) {
        case .closed(let standing):
            log("close", close.value.instanceID, "closed")
            return answer(close, .ok, standing)
        case .refused:
            log("close", close.value.instanceID, "belongs to another server")
            return answer(close, .refused, .unknown)
        }
    }

    /// Leave (protocol §13): as old as a Close may be, for the same reason.
    func answer(_ leave: Encoded<Leave>) async throws -> SecondFactorAnswer {
        let instance = leave.value.instanceID
        guard isSignedByCaller(leave, at: now) else {
            log("leave", instance, "not signed by its caller")
            return answer(leave, .refused, .unknown)
        }
        switch try await store.leave(leave.value.deviceKey, instance, by: caller.server, at: now) {
        case .left(let standing):
            log("leave", instance, "left")
            return answer(leave, .ok, standing)
        case .refused:
            log("leave", instance, "belongs to another server")
            return answer(leave, .refused, .unknown)
        }
    }

    /// Reset (docs/protocol/second-factor). Granted ones are in the audit table too.
    func answer(_ reset: Encoded<Reset>) async throws -> SecondFactorAnswer {
        let instance = reset.value.instanceID
        guard isSignedByCaller(reset, at: now) else {
            log("reset", instance, "not signed by its caller")
            return answer(reset, .refused, .unknown)
        }
        switch try await store.reset(instance, .message(by: caller.server, time: reset.value.time), at: now) {
        case .granted(let standing):
            log("reset", instance, "granted", level: .notice)
            return answer(reset, .ok, standing)
        case .repeated(let standing):
            log("reset", instance, "repeated")
            return answer(reset, .ok, standing)
        case .notBlocked(let standing):
            log("reset", instance, "not blocked")
            return answer(reset, .ok, standing)
        case .refused(let refusal, let standing):
            log("reset", instance, "\(refusal)", level: .notice)
            return answer(reset, refusal.status, refusal == .otherServer ? .unknown : standing)
        }
    }

    private func answer(_ order: Encoded<some SecondFactorOrder>, _ status: Status, _ standing: Standing) -> SecondFactorAnswer {
        SecondFactorAnswer(
            attemptID: order.answerID, status: status, highest: standing.highest, epoch: standing.epoch, tries: standing.tries)
    }
}
