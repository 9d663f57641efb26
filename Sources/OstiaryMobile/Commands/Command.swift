/// A call of the app on its way to the engine.
enum Command: Sendable {
    case start(FlowSource)
    case startUserInteraction(Session.ID?)
    case setAccount(Account.ID?, Session.ID, LoginAnswer)
    case secondFactor(FactorInput)
    case cancelSecondFactor
    case deny(Session.ID, notMe: Bool)
    case stop(Session.ID)
    case stopAppLogin
    case deleteAccount(Account.ID)
    case resume
    case fetchWaitingLogins
    case watch(Bool)
    case enterBackground
    case enterForeground
    case token(Session.ID)
    case oneTimeCode(Session.ID, Account.ID)
    case clearHistory
    case reset
    case manage(SecondFactorOperation, Account.ID?)
}

extension Command {
    /// The session that a call is about.
    var session: Session.ID? {
        switch self {
        case .setAccount(_, let id, _), .deny(let id, _), .stop(let id), .token(let id), .oneTimeCode(let id, _): id
        case .startUserInteraction(let id): id
        case .start, .secondFactor, .cancelSecondFactor, .stopAppLogin, .deleteAccount, .resume, .fetchWaitingLogins, .watch, .enterBackground,
            .enterForeground, .clearHistory, .reset, .manage:
            nil
        }
    }

    /// For the log.
    var name: String {
        switch self {
        case .start: "start"
        case .startUserInteraction: "startUserInteraction"
        case .setAccount: "setAccount"
        case .secondFactor: "sfInput"
        case .cancelSecondFactor: "sfCancel"
        case .deny: "deny"
        case .stop: "stop"
        case .stopAppLogin: "stopAppLogin"
        case .deleteAccount: "deleteAccount"
        case .resume: "resume"
        case .fetchWaitingLogins: "fetchWaitingLogins"
        case .watch: "setWatching"
        case .enterBackground: "enterBackground"
        case .enterForeground: "enterForeground"
        case .token: "getToken"
        case .oneTimeCode: "generateOTP"
        case .clearHistory: "clearHistory"
        case .reset: "reset"
        case .manage(let operation, _): operation.name
        }
    }
}

extension LogEntry {
    init(_ command: Command) { self.init(kind: .call, name: command.name, outcome: nil, session: command.session) }
}

/// What a person changes of the second factor itself.
enum SecondFactorOperation: Sendable {
    case addBiometrics
    case removeBiometrics
    case changePIN

    /// For the log.
    var name: String {
        switch self {
        case .addBiometrics: "addBiometrics"
        case .removeBiometrics: "removeBiometrics"
        case .changePIN: "changePIN"
        }
    }
}

/// Where an enrolment or a login comes from.
enum FlowSource: Sendable {
    /// A QR code.
    case bytes([UInt8])
    /// A link.
    case text(String)
    /// The app itself.
    case app
}
