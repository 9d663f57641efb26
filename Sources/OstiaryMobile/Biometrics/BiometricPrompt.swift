/// Whether a biometric feature can be asked for on this device.
public enum BiometricAvailability: Sendable, Hashable, CaseIterable {
    /// No sensor, or the app may not use it.
    case none
    /// A sensor that the system does not consider strong enough to guard a key, as many face scanners are.
    case tooWeak
    /// A strong sensor, but nobody enrolled a feature.
    case notEnrolled
    case available
}

/// What the device says of its biometric sensor. The prompt itself belongs to the key store: it comes up when a biometric key is to sign.
public protocol BiometricPrompt: Sendable {
    /// As of now; people may change it while the app runs.
    var availability: BiometricAvailability { get }
}

/// Why a biometric key did not sign.
public enum BiometricError: Error, Sendable, Hashable, CaseIterable {
    /// The features that the device knows are not those of the day the key was made: the key is dead.
    case changed
    /// The person, or the system, closed the prompt.
    case cancelled
    /// A feature was shown, and was not theirs.
    case notConfirmed
    /// No such key, no sensor, or the device is locked.
    case unavailable
}
