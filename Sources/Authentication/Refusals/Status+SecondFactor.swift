import OstiaryProtocol

extension Status {
    /// Whether a second-factor server has it to say of a try or of a proof (protocol §7). All others are of sessions, accounts, enrolments and services: this
    /// server says those by itself, and signs none of them because another said so (threat A103).
    var isOfSecondFactor: Bool {
        switch self {
        case .ok, .clock, .refused, .penalised, .blocked, .pinRequired, .wrongEpoch, .secondFactorUnavailable, .secondFactorUnknown, .sequence,
            .closed:
            true
        case .replayed, .sessionUnknown, .sessionTaken, .sessionOver, .linkOld, .accountUnknown, .accountBlocked, .accountPending,
            .accountDeleted, .enrolUsed, .secondFactorNeeded, .busy, .tooMany, .changed, .numberWrong, .notOffered, .serviceUnavailable,
            .serviceRefused, .serviceAnswer, .headless:
            false
        }
    }
}
