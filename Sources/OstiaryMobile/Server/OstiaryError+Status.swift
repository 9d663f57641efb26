import OstiaryProtocol

extension OstiaryError {
    /// Whether the server may have done what was asked although we failed.
    var leavesServerUnsure: Bool {
        switch self {
        case .serverConnection, .certificateUntrusted, .serverAnswer, .serverIdentity, .serverParametersMissing, .serverParametersUnreadable,
            .serverParametersWrong, .clockWrong, .secondFactorUnavailable, .storeUnavailable, .storeUnreadable, .keyStore, .lockedMemory,
            .cancelled:
            true
        default: false
        }
    }

    /// Whether the server has answered what was asked, and will answer the same later.
    var isFinalAnswer: Bool { !leavesServerUnsure && self != .tooMany }

    /// Whether it says only that no answer of the server's arrived: none at all, or bytes that do not decode or open, which anybody on the way can send.
    /// What was asked may have had its effect, and asking again finds out (protocol §4).
    var isLostAnswer: Bool {
        switch self {
        case .serverConnection, .serverAnswer, .serverParametersUnreadable: true
        default: false
        }
    }

    /// Whether the account or the PIN that was to vouch for another account is not there any more, as after a restore of a server's database.
    var saysThatVoucherIsGone: Bool {
        switch self {
        case .secondFactorUnknown, .accountUnknown, .accountDeleted, .noSecondFactor: true
        default: false
        }
    }

    /// What a server's refusal means to the app.
    init(_ status: Status) {
        self =
            switch status {
            case .clock: .clockWrong
            case .refused, .secondFactorNeeded, .penalised, .pinRequired, .numberWrong: .refused
            case .sessionUnknown: .sessionUnknown
            case .sessionTaken: .sessionTaken
            case .sessionOver: .sessionOver
            case .changed: .questionChanged
            case .linkOld: .linkOld
            case .accountUnknown: .accountUnknown
            case .accountBlocked: .accountBlocked
            case .accountPending: .accountPending
            case .accountDeleted: .accountDeleted
            case .headless: .noSecondFactor
            case .enrolUsed: .enrolmentExpired
            case .blocked: .secondFactorBlocked
            case .wrongEpoch, .secondFactorUnknown, .closed: .secondFactorUnknown
            case .busy, .tooMany: .tooMany
            case .secondFactorUnavailable: .secondFactorUnavailable
            case .notOffered: .notOffered
            case .serviceUnavailable: .serviceUnavailable
            case .serviceRefused: .serviceRefused
            case .serviceAnswer: .serviceAnswer
            // The answer to the first copy was lost: as good as no answer.
            case .replayed: .serverConnection
            case .ok, .sequence: .serverAnswer
            }
    }

    /// What a bundle that is not believed means to the app.
    init(_ refusal: BundleRefusal) {
        self =
            switch refusal {
            case .wrongIdentity: .serverParametersWrong
            case .suiteNotSpoken: .serverNotAllowed
            case .older, .outsideValidity: .clockWrong
            }
    }

    init(_ error: ExchangeError) {
        self =
            switch error {
            case .badSignature: .serverIdentity
            case .malformed, .cannotSeal, .cannotOpen: .serverAnswer
            }
    }

    init(_ error: TransportError) {
        self =
            switch error {
            case .unreachable: .serverConnection
            case .untrusted: .certificateUntrusted
            case .tooLong, .encoded: .serverAnswer
            case .addressRefused: .serverNotAllowed
            case .cancelled: .cancelled
            }
    }
}
