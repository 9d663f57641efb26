/// Told of everything that happens in one `Ostiary`, one thing at a time, in order, on no particular thread.
///
/// Every method has an empty default: implement what the app needs.
public protocol OstiaryDelegate: AnyObject, Sendable {
    /// A login waits for `setAccount(_:for:with:number:)` with one of `accounts`, or for `deny(_:notMe:)`.
    func ostiary(_ ostiary: Ostiary, willConfirmLoginFor session: Session, with accounts: [Account])

    /// An enrolment waits for `setAccount(nil, for:)`. `accounts` are those that this device already has at the server; the visual hash is
    /// nil when the configuration hides it.
    func ostiary(_ ostiary: Ostiary, willConfirmEnrolFor session: Session, with accounts: [Account], visualHash: VisualHash?)

    /// The account was made and waits for `code` to be typed into the browser.
    func ostiary(_ ostiary: Ostiary, needsConfirmationOf code: String, for session: Session)

    func ostiary(_ ostiary: Ostiary, didStartSecondFactorWith secondFactor: SecondFactor)
    func ostiary(_ ostiary: Ostiary, didUpdateSecondFactorWith secondFactor: SecondFactor)

    /// Something went wrong. The session is over only if its state says so.
    func ostiary(_ ostiary: Ostiary, didFailWith error: OstiaryError, for session: Session?)

    /// Another device was enrolled for the same person: show it, see `OstiaryEvent.newDevice(_:account:)`.
    func ostiary(_ ostiary: Ostiary, didLearnOf device: NewDevice, for account: Account)

    /// On another device of the same person a biometric alone set a new PIN: show it, see `OstiaryEvent.pinReplacedByBiometric(_:account:)`.
    func ostiary(_ ostiary: Ostiary, didLearnOf pin: ReplacedPIN, for account: Account)

    /// The service behind the server, or its provider, answered `getToken(for:)`.
    func ostiary(_ ostiary: Ostiary, didReceive token: Token)

    /// A login was scanned whose server, while it is being asked what the login is about, would take a one-time code of one of `accounts` instead: see
    /// `OstiaryEvent.otpAvailable(_:accounts:)`.
    func ostiary(_ ostiary: Ostiary, canGenerateOTPFor session: Session, with accounts: [Account])
}

extension OstiaryDelegate {
    public func ostiary(_ ostiary: Ostiary, willConfirmLoginFor session: Session, with accounts: [Account]) {}
    public func ostiary(_ ostiary: Ostiary, willConfirmEnrolFor session: Session, with accounts: [Account], visualHash: VisualHash?) {}
    public func ostiary(_ ostiary: Ostiary, needsConfirmationOf code: String, for session: Session) {}
    public func ostiary(_ ostiary: Ostiary, didStartSecondFactorWith secondFactor: SecondFactor) {}
    public func ostiary(_ ostiary: Ostiary, didUpdateSecondFactorWith secondFactor: SecondFactor) {}
    public func ostiary(_ ostiary: Ostiary, didFailWith error: OstiaryError, for session: Session?) {}
    public func ostiary(_ ostiary: Ostiary, didLearnOf device: NewDevice, for account: Account) {}
    public func ostiary(_ ostiary: Ostiary, didLearnOf pin: ReplacedPIN, for account: Account) {}
    public func ostiary(_ ostiary: Ostiary, didReceive token: Token) {}
    public func ostiary(_ ostiary: Ostiary, canGenerateOTPFor session: Session, with accounts: [Account]) {}
}
