/// Whether and how the device asks for a biometric feature.
public enum BiometricAvailability: Sendable, Hashable {
    /// No sensor that the system considers strong enough.
    case none
    /// A sensor, but nobody enrolled a feature.
    case notEnrolled
    case available
}

/// The device's own biometric prompt.
public protocol BiometricPrompt: Sendable {
    var availability: BiometricAvailability { get async }
    /// Asks; false when the person cancels. `reason` is shown to them.
    func confirm(reason: String) async -> Bool
}
