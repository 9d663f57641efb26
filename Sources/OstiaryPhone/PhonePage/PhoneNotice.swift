import OstiaryMobile

/// Something that the person is told beside any question, until they have put it away.
struct PhoneNotice: Sendable, Equatable {
    enum Kind: String, Sendable, Equatable {
        /// It went well.
        case good
        /// It is so.
        case plain
        /// It did not work.
        case failure
        /// The only sign that the person has of somebody else. It stays until they have put it away, whatever happens.
        case warning
    }

    /// Names it on its phone.
    let id: Int
    let kind: Kind
    let text: String
    /// Of an error.
    var error: OstiaryError?
}

/// What an event tells the person beside any question.
extension OstiaryEvent {
    var notice: (kind: PhoneNotice.Kind, text: String)? {
        switch self {
        case .sessionLogin(let session): (.good, session.loginWords)
        case .sessionStop(let session): session.stopNotice
        case .accountDeleted(let account): (.plain, "The account \(account.username) at \(account.serverName) is deleted.")
        case .newDevice(let device, let account):
            (
                .warning,
                "A new device was enrolled for \(account.username) at \(account.serverName): \(device.name). If that was not you, tell your service."
            )
        case .pinReplacedByBiometric(let pin, let account):
            (
                .warning,
                "By a biometric alone a new PIN was set for \(account.username) at \(account.serverName), on \(pin.deviceName). "
                    + "If that was not you, tell your service."
            )
        case .error(let error, _): (error == .loginInOtherBrowser ? .warning : .failure, error.words)
        case .secondFactorUpdated(let factor) where factor.stopped && factor.session == nil && factor.secondFactorInfo.result == .success:
            factor.secondFactorInfo.context.done.map { (.good, $0) }
        case .confirmLogin, .confirmEnrol, .enrolConfirmation, .secondFactorStarted, .secondFactorUpdated, .sessionUpdate, .accountAdded,
            .accountUpdated, .token, .otpAvailable:
            nil
        }
    }
}

extension Session {
    /// What the person logs in to, or enrols at.
    var shownTitle: String {
        if isAppLogin { return "this phone’s app" }
        if isEnrolment { return info.serverName.isEmpty ? account?.serverName ?? "a server" : info.serverName }
        return info.serviceName.isEmpty ? account?.serverName ?? "a site" : info.serviceName
    }

    fileprivate var loginWords: String {
        let name = (username ?? account?.username).map { " as \($0)" } ?? ""
        return isEnrolment ? "Enrolled at \(shownTitle), and logged in\(name)." : "Logged in to \(shownTitle)\(name)."
    }

    fileprivate var stopNotice: (kind: PhoneNotice.Kind, text: String) {
        let title = isEnrolment ? "The enrolment at \(shownTitle)" : "The login to \(shownTitle)"
        guard let ending else { return (.plain, "\(title) is over.") }
        if ending == .enrolled {
            return (.plain, "Enrolled at \(shownTitle) without a second factor: the account asks for data, and logs in nowhere.")
        }
        if ending == .timeout, !isLoggedOut, !isEnrolment {
            return (.plain, "You said yes to \(shownTitle), but the browser did not come back in time: start again there.")
        }
        return (.plain, "\(title) is over: \(ending.words).")
    }
}

extension Session.Ending {
    fileprivate var words: String {
        switch self {
        case .user: "ended on this phone"
        case .inactivity: "nobody used the app"
        case .server: "ended by the website or its server"
        case .timeout: "this phone did not answer in time"
        case .account: "the account was blocked or deleted"
        case .replaced: "a newer login took its place"
        case .denied: "you said no"
        case .cancelled: "given up"
        case .failed: "it failed"
        case .otherBrowser: "another browser came back than the one that began"
        case .otp: "it goes on where the code is typed"
        case .enrolled: "the account has no second factor"
        }
    }
}

extension SecondFactorInfo.Context {
    /// Of a change of the second factor itself.
    fileprivate var done: String? {
        switch self {
        case .biometricsAdd: "Biometrics are added."
        case .biometricsRemove: "Biometrics are removed."
        case .pinChangeSet: "The PIN is changed."
        case .verify, .firstSet, .pinChangeVerify: nil
        }
    }
}

extension OstiaryError {
    /// The sentence of the terminal phone, but where it names a command.
    var words: String {
        if self == .accountPending { return "The account waits for its code to be typed into the page." }
        return sentence.prefix(1).uppercased() + sentence.dropFirst() + "."
    }
}

extension OstiaryError.Advice {
    /// The SDK's advice, for the person.
    var words: String {
        switch self {
        case .retry: "The same again, later, may work."
        case .askUser: "Only you can change something about it."
        case .giveUp: "Trying again will not help."
        }
    }
}
