/// The values of `serverFlags`.
package enum ServerFlag: String, CaseIterable, Sendable {
    /// A new account is active without a code typed in the browser: for links that are delivered to the phone itself.
    case skipEnrolConfirmation = "SKIP_ENROL_CONFIRMATION"
    /// A QR code's session cannot be opened as a link (protocol §6).
    case strictLinks = "STRICT_LINKS"
    /// No biometric takes the place of the PIN: none is added, and none logs in.
    case noBiometrics = "NO_BIOMETRICS"
    /// One-time codes for phones without a connection. Known, not served by this version.
    case enableOTP = "ENABLE_OTP"

    var isServed: Bool { self != .enableOTP }
}
