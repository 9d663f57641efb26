import OstiaryMobile

/// What an error means to the person with the phone, and how the command ends on it.
extension OstiaryError {
    /// One line, lower case, with what to do next when there is something to do.
    var sentence: String {
        switch self {
        case .notConfigured, .alreadyConfigured, .wrongOrder: "this does not belong to what is going on"
        case .flowInProgress: "another enrolment or login is going on"
        case .accountNotOffered: "this is for another account: take the phone that has it, or begin anew"
        case .accountGivenForEnrolment: "an enrolment makes its own account"
        case .userInputRefused: "the user input is longer than 4 096 bytes, or holds characters that may not travel"
        case .numberMissing: "this login asks for the number that is shown where it was begun: three digits"
        case .numberWrong: "that is another number than the one that is shown where the login was begun: the third wrong one ends it"
        case .numbersUsedUp:
            "there were nine wrong numbers in a day: until tomorrow no login that waits for this phone can be confirmed; a code that is scanned goes on working"
        case .pinLength: "a PIN has 5 to 12 digits, and as many as the server wants"
        case .pinEasyToGuess: "that PIN is easy to guess: choose another"
        case .pinUnchanged: "that is the PIN so far: choose another"
        case .cancelled: "cancelled"
        case .userInputTimeout: "nobody answered in time"
        case .linkUnreadable: "this is not an enrol or login code, nor one of a device at a server where this phone has an account"
        case .linkUnknownKind: "this code is of a kind that this program does not know: it may be too old"
        case .serverNotAllowed: "the server's address is neither https nor this machine"
        case .noAccountsForServer: "there is no account for this server on this phone: enrol first"
        case .severalAccounts: "an AppLogin needs exactly one account on this phone"
        case .singleAccount: "this phone allows one account"
        case .accountUnknown: "the server does not know this account: enrol again on this phone, then delete this account"
        case .accountBlocked: "the account is blocked: ask the operator of the server"
        case .accountPending: "the account waits for its code to be typed into the page: when that is done, ostiary phone sessions finds out"
        case .accountDeleted: "the account was deleted"
        case .noSecondFactor:
            "this account has no second factor: it asks for data, and logs in nowhere until its site gives it one (ostiary phone enrol takes that code)"
        case .serverConnection: "the server cannot be reached: try again later"
        case .certificateUntrusted:
            "the server's certificate is not trusted here: sign in to this network if it asks for that, check the clock, else tell the operator"
        case .serverIdentity: "the server is not the one that was enrolled with, or cannot prove it"
        case .serverParametersMissing: "there is no such server at the address in the code"
        case .serverParametersUnreadable: "what the server says of itself cannot be understood"
        case .serverParametersWrong: "the server at this address is not the one that the code names"
        case .serverAnswer: "the server's answer cannot be understood"
        case .clockWrong: "a clock is wrong, here or at the server: check this machine's clock, and tell the operator if it is right"
        case .logoUnavailable: "the picture of this login was left out"
        case .refused: "the server refused"
        case .tooMany: "too many requests: wait a little"
        case .enrolmentExpired:
            "the enrol code was used, is older than ten minutes, or its four characters were typed wrong three times: ask for a new one"
        case .linkOld: "the login code is of another moment, too old or not good yet: take the one that is shown now"
        case .sessionUnknown: "the server does not know this login: take the code that is shown now"
        case .sessionTaken: "a phone has taken this login already: begin a new one"
        case .sessionOver: "this login is over"
        case .questionChanged: "the site changed what it asks again and again: nobody was logged in, look who asks and take the code anew"
        case .loginInOtherBrowser:
            "nobody was logged in: another browser came back than the one that began; somebody may have sent you this login. Start again yourself"
        case .secondFactorBlocked: "too many wrong PINs: the operator of the second-factor server can lift the block"
        case .secondFactorUnavailable:
            "the PIN cannot be checked at the moment: try again later (at most one try was counted, which the next right PIN gives back)"
        case .secondFactorUnknown: "the servers do not know this phone's PIN any more: enrol again on this phone, then delete this account"
        case .biometricsUnavailable: "no biometric feature can be used here: the PIN goes on"
        case .biometricsChanged: "the device's biometric features were changed: the PIN goes on, and biometrics can be added again"
        case .biometricsRefused:
            "the servers do not take this biometric feature: the PIN goes on; if it happens again, add biometrics once more"
        case .storeUnavailable: "the phone's home cannot be read or written: --home names a folder of this user, on a disk with room"
        case .storeUnreadable: "the phone's home is damaged, or was written by a newer version"
        case .keyStore:
            "the phone's keys cannot be read or written: --home names a folder of this user, and \(PhoneHome.keyringVariable), where that is set, holds "
                + "64 hexadecimal digits, the same at every start"
        case .lockedMemory: "the system has no memory that is kept from being written to disk"
        case .notOffered: "this server does not offer that"
        case .dataTooLong: "a question to the Data Service has at most 65,000 bytes"
        case .serviceUnavailable: "the service behind the server cannot answer now: try again later"
        case .serviceRefused: "the service behind the server refuses this account: ask its operator"
        case .serviceAnswer: "what the service behind the server answers cannot be handed on: ask its operator"
        }
    }

    var exit: PhoneExit {
        switch self {
        case .cancelled, .userInputTimeout: .cancelledOrDenied
        case .secondFactorBlocked: .blockedOrPenalised
        case .enrolmentExpired, .linkOld, .sessionUnknown, .sessionTaken, .sessionOver, .questionChanged, .loginInOtherBrowser: .codeOver
        case .serverConnection: .serverUnreachable
        case .certificateUntrusted, .serverIdentity, .serverParametersMissing, .serverParametersUnreadable, .serverParametersWrong: .serverIdentity
        case .linkUnreadable, .linkUnknownKind, .numberMissing, .dataTooLong: .usage
        case .pinLength, .pinEasyToGuess, .pinUnchanged, .numberWrong, .numbersUsedUp: .secondFactorFailed
        case .notConfigured, .alreadyConfigured, .wrongOrder, .flowInProgress, .accountNotOffered, .accountGivenForEnrolment, .userInputRefused,
            .serverNotAllowed, .noAccountsForServer, .severalAccounts, .singleAccount, .accountUnknown, .accountBlocked, .accountPending,
            .accountDeleted, .noSecondFactor, .serverAnswer, .clockWrong, .logoUnavailable, .refused, .tooMany, .secondFactorUnavailable,
            .secondFactorUnknown,
            .biometricsUnavailable, .biometricsChanged, .biometricsRefused, .storeUnavailable,
            .storeUnreadable, .keyStore, .lockedMemory, .notOffered, .serviceUnavailable, .serviceRefused, .serviceAnswer:
            .other
        }
    }
}
