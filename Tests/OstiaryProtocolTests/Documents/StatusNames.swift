import OstiaryProtocol

extension Status {
    /// As the protocol spells it.
    var documented: String {
        switch self {
        case .ok: "OK"
        case .clock: "CLOCK"
        case .replayed: "REPLAYED"
        case .refused: "REFUSED"
        case .sessionUnknown: "SESSION_UNKNOWN"
        case .sessionTaken: "SESSION_TAKEN"
        case .sessionOver: "SESSION_OVER"
        case .linkOld: "LINK_OLD"
        case .accountUnknown: "ACCOUNT_UNKNOWN"
        case .accountBlocked: "ACCOUNT_BLOCKED"
        case .accountPending: "ACCOUNT_PENDING"
        case .accountDeleted: "ACCOUNT_DELETED"
        case .enrolUsed: "ENROL_USED"
        case .secondFactorNeeded: "SECOND_FACTOR_NEEDED"
        case .penalised: "PENALISED"
        case .blocked: "BLOCKED"
        case .pinRequired: "PIN_REQUIRED"
        case .wrongEpoch: "WRONG_EPOCH"
        case .busy: "BUSY"
        case .secondFactorUnavailable: "SF_UNAVAILABLE"
        case .secondFactorUnknown: "SF_UNKNOWN"
        case .tooMany: "TOO_MANY"
        case .sequence: "SEQ"
        case .closed: "CLOSED"
        case .changed: "CHANGED"
        case .numberWrong: "NUMBER_WRONG"
        case .notOffered: "NOT_OFFERED"
        case .serviceUnavailable: "SERVICE_UNAVAILABLE"
        case .serviceRefused: "SERVICE_REFUSED"
        case .serviceAnswer: "SERVICE_ANSWER"
        case .headless: "HEADLESS"
        }
    }
}
