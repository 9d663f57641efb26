/// The values of `serverFlags`.
package enum ServerFlag: String, CaseIterable, Sendable {
    /// A new account is active without a code typed in the browser: for links that are delivered to the phone itself.
    case skipEnrolConfirmation = "SKIP_ENROL_CONFIRMATION"
    /// A QR code's session cannot be opened as a link (protocol §6).
    case strictLinks = "STRICT_LINKS"
    /// No biometric takes the place of the PIN: none is added, and none logs in.
    case noBiometrics = "NO_BIOMETRICS"
    /// A phone without a connection logs in by a code that its person types (protocol §9).
    case enableOTP = "ENABLE_OTP"
    /// Such a code has eight characters behind the reference and not six.
    case longOTP = "LONG_OTP"
    /// Accounts without a second factor may be enrolled, which ask for data and log in nowhere (protocol §5).
    case enableHeadless = "ENABLE_HEADLESS"
}
