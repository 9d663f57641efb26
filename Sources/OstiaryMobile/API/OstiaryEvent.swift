import Foundation

/// Everything that an `Ostiary` tells, as one type. Delegate calls and notifications are made from these, in the same order.
public enum OstiaryEvent: Sendable, Hashable {
    /// A login was scanned, its server is being asked what it is about, and one-time codes of `accounts` would do where that server cannot be reached: see
    /// ``Ostiary/generateOTP(for:and:)``. As a rule the question of the login follows almost at once; then offer no code any more.
    case otpAvailable(Session, accounts: [Account])
    /// A login asks for `setAccount(_:for:with:number:)`.
    case confirmLogin(Session, accounts: [Account])
    /// An enrolment asks for `setAccount(nil, for:)`.
    case confirmEnrol(Session, accounts: [Account], visualHash: VisualHash?)
    /// The new account waits for this code to be typed into the browser.
    case enrolConfirmation(Session, code: String)
    /// A second factor is asked for; the first of a row.
    case secondFactorStarted(SecondFactor)
    /// What came of an input, or that nothing more is asked.
    case secondFactorUpdated(SecondFactor)
    /// Logged in.
    case sessionLogin(Session)
    /// Over; `Session.ending` says why.
    case sessionStop(Session)
    /// Any other change of a session.
    case sessionUpdate(Session)
    case accountAdded(Account)
    /// An account's name or state changed.
    case accountUpdated(Account)
    case accountDeleted(Account)
    /// Another device was enrolled for the person of this account: show it, for it is their only sign of somebody who enrolled in their name. Told before
    /// the login that brought it, and again by a later answer of the server as long as nobody listens.
    case newDevice(NewDevice, account: Account)
    /// On another device of the person of this account a new PIN was set by a biometric alone: show it, for it is their sign of a finger or face that was
    /// not theirs. Told and repeated as `newDevice` is.
    case pinReplacedByBiometric(ReplacedPIN, account: Account)
    /// The service behind the server, or its provider, answered `getToken(for:)`.
    case token(Token, session: Session)
    /// Something went wrong; the session, if there is one, is over only if its state says so.
    case error(OstiaryError, session: Session?)
}

/// A device that was enrolled for the same person elsewhere.
public struct NewDevice: Sendable, Hashable {
    /// How it calls itself.
    public let name: String
    /// When, in Unix seconds.
    public let enrolledAt: UInt64
}

/// A PIN that was replaced elsewhere, where a biometric alone stood for the old one.
public struct ReplacedPIN: Sendable, Hashable {
    /// How the device calls itself where that happened.
    public let deviceName: String
    /// When, in Unix seconds.
    public let replacedAt: UInt64
}

extension Ostiary {
    /// The names under which `NotificationCenter.default` hears of changes. The object is the `Session` or the `Account`, as a value: observe
    /// with `object: nil`.
    public enum NotificationNames {
        /// An account was added or changed.
        public static let accountUpdate = Notification.Name("OstiaryAccountUpdate")
        public static let accountDelete = Notification.Name("OstiaryAccountDelete")
        /// A session changed: look at `isLoggedIn` and `isLoggedOut`.
        public static let sessionUpdate = Notification.Name("OstiarySessionUpdate")
    }
}

extension OstiaryEvent {
    /// Posts the notification that belongs to this event, if one does.
    func post() {
        switch self {
        case .sessionLogin(let session), .sessionStop(let session), .sessionUpdate(let session):
            NotificationCenter.default.post(name: Ostiary.NotificationNames.sessionUpdate, object: session)
        case .accountAdded(let account), .accountUpdated(let account):
            NotificationCenter.default.post(name: Ostiary.NotificationNames.accountUpdate, object: account)
        case .accountDeleted(let account):
            NotificationCenter.default.post(name: Ostiary.NotificationNames.accountDelete, object: account)
        case .otpAvailable, .confirmLogin, .confirmEnrol, .enrolConfirmation, .secondFactorStarted, .secondFactorUpdated, .newDevice,
            .pinReplacedByBiometric, .token, .error:
            break
        }
    }

    /// Makes the delegate call that belongs to this event, if one does.
    func tell(_ delegate: any OstiaryDelegate, of ostiary: Ostiary) {
        switch self {
        case .otpAvailable(let session, let accounts):
            delegate.ostiary(ostiary, canGenerateOTPFor: session, with: accounts)
        case .confirmLogin(let session, let accounts):
            delegate.ostiary(ostiary, willConfirmLoginFor: session, with: accounts)
        case .confirmEnrol(let session, let accounts, let visualHash):
            delegate.ostiary(ostiary, willConfirmEnrolFor: session, with: accounts, visualHash: visualHash)
        case .enrolConfirmation(let session, let code):
            delegate.ostiary(ostiary, needsConfirmationOf: code, for: session)
        case .secondFactorStarted(let secondFactor):
            delegate.ostiary(ostiary, didStartSecondFactorWith: secondFactor)
        case .secondFactorUpdated(let secondFactor):
            delegate.ostiary(ostiary, didUpdateSecondFactorWith: secondFactor)
        case .newDevice(let device, let account):
            delegate.ostiary(ostiary, didLearnOf: device, for: account)
        case .pinReplacedByBiometric(let pin, let account):
            delegate.ostiary(ostiary, didLearnOf: pin, for: account)
        case .token(let token, _):
            delegate.ostiary(ostiary, didReceive: token)
        case .error(let error, let session):
            delegate.ostiary(ostiary, didFailWith: error, for: session)
        case .sessionLogin, .sessionStop, .sessionUpdate, .accountAdded, .accountUpdated, .accountDeleted:
            break
        }
    }
}
