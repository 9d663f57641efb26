import Logging
import OstiaryProtocol
import SecondFactor

extension CallDesk.Desk {
    /// Close (protocol §13): valid however old it is, since an authentication server repeats it until it was heard.
    func answer(_ close: Encoded<Close>) async throws -> SecondFactorAnswer {
        guard (try? close.verify(with: caller.keys, at: now)) != nil, close.value.serverID == caller.server.id else {
            log("close", close.value.instanceID, "not signed by its caller")
            return answer(.refused, .unknown)
        }
        switch try await store.close(close.value.instanceID, by: caller.server, at: now) {
        case .closed(let standing):
            log("close", close.value.instanceID, "closed")
            return answer(.ok, standing)
        case .refused:
            log("close", close.value.instanceID, "belongs to another server")
            return answer(.refused, .unknown)
        }
    }

    /// Leave (protocol §13): as old as a Close may be, for the same reason.
    func answer(_ leave: Encoded<Leave>) async throws -> SecondFactorAnswer {
        let instance = leave.value.instanceID
        guard (try? leave.verify(with: caller.keys, at: now)) != nil, leave.value.serverID == caller.server.id else {
            log("leave", instance, "not signed by its caller")
            return answer(.refused, .unknown)
        }
        switch try await store.leave(leave.value.deviceKey, instance, by: caller.server, at: now) {
        case .left(let standing):
            log("leave", instance, "left")
            return answer(.ok, standing)
        case .refused:
            log("leave", instance, "belongs to another server")
            return answer(.refused, .unknown)
        }
    }

    /// Reset (docs/protocol/second-factor). Granted ones are in the audit table too.
    func answer(_ reset: Encoded<Reset>) async throws -> SecondFactorAnswer {
        let instance = reset.value.instanceID
        guard (try? reset.verify(with: caller.keys, at: now)) != nil, reset.value.serverID == caller.server.id else {
            log("reset", instance, "not signed by its caller")
            return answer(.refused, .unknown)
        }
        switch try await store.reset(instance, .message(by: caller.server, time: reset.value.time), at: now) {
        case .granted(let standing):
            log("reset", instance, "granted", level: .notice)
            return answer(.ok, standing)
        case .repeated(let standing):
            log("reset", instance, "repeated")
            return answer(.ok, standing)
        case .refused(let refusal, let standing):
            log("reset", instance, "\(refusal)", level: .notice)
            return answer(refusal.status, refusal == .otherServer ? .unknown : standing)
        }
    }

    private func answer(_ status: Status, _ standing: Standing) -> SecondFactorAnswer {
        SecondFactorAnswer(
            attemptID: AttemptID(using: NoAttempt()), status: status, highest: standing.highest, epoch: standing.epoch, tries: standing.tries)
    }
}

/// Sixteen zeros, which stand for "no attempt" in the answer to a Close, a Leave or a Reset.
private struct NoAttempt: RandomSource {
    func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
