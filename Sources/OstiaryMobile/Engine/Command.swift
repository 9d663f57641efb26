import OstiaryProtocol

/// A call of the app on its way to the engine.
enum Command: Sendable {
    case start(FlowSource)
    case startUserInteraction(Session.ID?)
    case setAccount(Account.ID?, Session.ID, userInput: String?)
    case secondFactor(FactorInput)
    case cancelSecondFactor
    case deny(Session.ID, notMe: Bool)
    case stop(Session.ID)
    case stopAppLogin
    case deleteAccount(Account.ID)
    case resume
    case watch(Bool)
    case manage(SecondFactorOperation, Account.ID?)
}

/// What a person answers a question for a second factor with.
enum FactorInput: Sendable {
    case pin(LockedBytes)
    case biometrics(BiometricInfo)
    case both(LockedBytes, BiometricInfo)
}

/// What a person changes of the second factor itself.
enum SecondFactorOperation: Sendable {
    case addBiometrics
    case removeBiometrics
    case changePIN
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
