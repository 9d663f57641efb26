/// Why something was not done. `code` is the number of the reference documents where they have one; `advice` says what to do now.
public enum OstiaryError: Error, Sendable, Hashable {
    // The call
    /// `configure(_:ports:)` was not called.
    case notConfigured
    case alreadyConfigured
    /// The call does not belong to what is going on: an input nobody waits for, a session that is over or unknown.
    case wrongOrder
    /// Only one enrolment or login at a time.
    case flowInProgress
    /// The account is not one of those that came with the question, or the login is for an account that this device does not have.
    case accountNotOffered
    /// An enrolment makes an account: it takes none.
    case accountGivenForEnrolment
    /// More than 4 096 bytes, or characters that may not travel.
    case userInputRefused
    /// The login asks for the number that whoever began it shows, three digits, and none came with the yes. Nothing was sent; the question is still open.
    case numberMissing
    /// The number was another than the one that is shown. Where the session is not over the question comes again; the third ends it, and nobody is logged in.
    case numberWrong
    /// Nine wrong numbers in a day are all that an account has, whoever asked for them. Nobody is logged in, and until tomorrow no login that waits for this
    /// device can be confirmed, also with the right number; codes that are scanned go on working. Comes in the place of ``numberWrong``.
    case numbersUsedUp
    /// A PIN has 5 to 12 digits, and as many as the server wants.
    case pinLength
    /// A PIN that many people would try first.
    case pinEasyToGuess
    /// The new PIN is the one that was just verified.
    case pinUnchanged
    /// Given up by the person.
    case cancelled
    /// No second factor in the configured time.
    case userInputTimeout

    // What was scanned
    case linkUnreadable
    case linkUnknownKind
    /// Neither https nor this very machine.
    case serverNotAllowed

    // Accounts
    case noAccountsForServer
    /// An AppLogin needs exactly one account.
    case severalAccounts
    /// The configuration allows one account.
    case singleAccount
    case accountUnknown
    case accountBlocked
    /// The account was not confirmed yet, as far as this device knows: `refresh()` asks.
    case accountPending
    case accountDeleted
    /// The account has no second factor: it asks for data and does nothing else. An enrolment that its backend begins makes it a full one.
    case noSecondFactor

    // The server
    case serverConnection
    /// Somebody answers in the server's place, or in its name with a certificate that this device does not trust: a network that wants a sign-in first, a
    /// wrong clock, or a mistake of the operator. Nothing was sent.
    case certificateUntrusted
    /// The server is not who it should be, or cannot prove it.
    case serverIdentity
    /// Nobody at this address knows the server of the code.
    case serverParametersMissing
    /// What the server says of itself cannot be understood.
    case serverParametersUnreadable
    /// What the server says of itself does not have the hash that the code names, or its signatures do not lead there.
    case serverParametersWrong
    /// An answer that cannot be understood, or was changed on its way, is packed (a content coding), or longer than any.
    case serverAnswer
    /// No key of the server is valid at the time that this device believes it is, or what the server says of itself is much older than what it said
    /// before: this clock is wrong, or the server's.
    case clockWrong
    /// The image of a login was left out: it did not come, is too long, or is not the one that the server signed. The login goes on.
    case logoUnavailable
    case refused
    case tooMany

    // The session
    /// The code was used, or is older than ten minutes.
    case enrolmentExpired
    /// The login code is of another moment than the server's clock: too old, or one of a moving code that is not good yet, which a proper page shows to
    /// nobody. Say no more than that, and have the person take the one that is shown now.
    case linkOld
    case sessionUnknown
    case sessionTaken
    case sessionOver
    /// What the login asks was changed again and again while it was being answered. Nobody is logged in: look who asks, and begin anew.
    case questionChanged
    /// A warning: the login was confirmed here, and another browser came back than the one that began it. Somebody may have sent this login to
    /// the person. Nobody was logged in.
    case loginInOtherBrowser

    // The second factor
    case secondFactorBlocked
    case secondFactorUnavailable
    /// The servers do not know this device's PIN any more, after a restore perhaps: enrol again, which sets a PIN anew, then delete this account.
    case secondFactorUnknown
    /// No biometric feature can answer now: none was added, or the device, the configuration or the server has none.
    case biometricsUnavailable
    /// The features that the device knows were changed, which ended what was added here. The PIN goes on; biometrics can be added again.
    case biometricsChanged
    /// The servers did not take the biometric key: they may not know it (any more), as after a restore of a database. The PIN goes on; biometrics can be
    /// added once more.
    case biometricsRefused

    // The device
    /// The account store cannot be read or written.
    case storeUnavailable
    /// The account store is damaged, or was written by a newer version.
    case storeUnreadable
    /// The key store refused.
    case keyStore
    /// No memory that is kept from being written to disk.
    case lockedMemory
    /// This server does not offer it, or the app's configuration leaves it out.
    case notOffered

    // The service behind the server
    /// More than 65,000 bytes are asked of the Data Service at once. Nothing was sent.
    case dataTooLong
    /// It did not answer in time, or cannot now. Whoever is logged in still is.
    case serviceUnavailable
    /// It gives no token for this person or this login; or no data to this device, or none for what was asked.
    case serviceRefused
    /// What it answered cannot be handed on: it is longer than anything may be, or nothing at all. Its operator can mend that.
    case serviceAnswer
}

extension OstiaryError {
    /// What an app does about an error.
    public enum Advice: String, Sendable, Hashable, CaseIterable {
        /// The same again, later, may succeed.
        case retry
        /// Only the person can change something.
        case askUser
        /// It will not succeed.
        case giveUp
    }

    /// The number of the reference documents; nil where they have none.
    public var code: Int? {
        switch self {
        case .linkUnreadable: 32
        case .linkUnknownKind: 33
        case .noAccountsForServer: 34
        case .singleAccount: 40
        case .enrolmentExpired: 41
        case .serverIdentity: 48
        case .serverAnswer: 49
        case .serverNotAllowed: 52
        case .serverParametersMissing: 64
        case .serverParametersUnreadable: 67
        case .serverParametersWrong: 68
        case .serverConnection: 70
        case .notConfigured, .alreadyConfigured, .wrongOrder, .flowInProgress, .accountNotOffered, .accountGivenForEnrolment,
            .userInputRefused, .numberMissing, .numberWrong, .numbersUsedUp, .pinLength, .pinEasyToGuess, .pinUnchanged, .cancelled,
            .userInputTimeout, .logoUnavailable, .severalAccounts, .accountUnknown, .accountBlocked, .accountPending, .accountDeleted,
            .noSecondFactor,
            .certificateUntrusted,
            .clockWrong, .refused, .tooMany, .linkOld, .sessionUnknown, .sessionTaken, .sessionOver,
            .questionChanged,
            .secondFactorBlocked,
            .secondFactorUnavailable, .secondFactorUnknown, .biometricsUnavailable, .biometricsChanged, .biometricsRefused, .storeUnavailable,
            .storeUnreadable, .keyStore, .lockedMemory, .notOffered, .loginInOtherBrowser, .dataTooLong, .serviceUnavailable, .serviceRefused,
            .serviceAnswer:
            nil
        }
    }

    public var advice: Advice {
        switch self {
        case .serverConnection, .serverAnswer, .tooMany, .secondFactorUnavailable, .storeUnavailable, .keyStore, .lockedMemory, .flowInProgress,
            .logoUnavailable, .serviceUnavailable:
            .retry
        case .accountNotOffered, .accountGivenForEnrolment, .userInputRefused, .numberMissing, .numberWrong, .numbersUsedUp, .pinLength,
            .pinEasyToGuess, .pinUnchanged, .biometricsUnavailable, .biometricsChanged, .biometricsRefused, .cancelled, .userInputTimeout,
            .linkUnreadable,
            .linkUnknownKind, .noAccountsForServer, .severalAccounts, .accountPending, .certificateUntrusted, .clockWrong,
            .enrolmentExpired, .linkOld, .sessionUnknown,
            .sessionTaken, .sessionOver, .questionChanged, .loginInOtherBrowser, .accountUnknown,
            .secondFactorUnknown, .noSecondFactor:
            .askUser
        case .notConfigured, .alreadyConfigured, .wrongOrder, .serverNotAllowed, .singleAccount, .accountBlocked, .accountDeleted,
            .serverIdentity, .serverParametersMissing, .serverParametersUnreadable, .serverParametersWrong, .refused, .secondFactorBlocked,
            .storeUnreadable, .notOffered, .dataTooLong, .serviceRefused, .serviceAnswer:
            .giveUp
        }
    }
}
