import OstiaryProtocol

/// Why an operator's wish about an account cannot be met.
package enum AccountError: Error, Equatable, Sendable {
    case unknown, userUnknown
    case secondFactorUnavailable
    /// A headless account has no second factor that could be reset.
    case headless
    /// The second-factor server said no: too many resets, or it does not know the instance.
    case resetRefused(Status)
}
