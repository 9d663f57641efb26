#if canImport(LocalAuthentication)
import LocalAuthentication
#endif

/// What the system's biometric prompt tells the person, for `Ostiary.sfInput(_:)`.
///
/// The prompt comes up when the SDK uses the biometric key, so an app shows none of its own.
public struct BiometricInfo: Sendable {
    /// One line that says what the feature is asked for.
    public let reason: String
    /// The button that closes the prompt; nil for the system's own word.
    public let cancelTitle: String?
    /// What a simulated sensor is answered with; nil for its usual answer.
    let simulatedAnswer: SimulatedBiometrics.Answer?
    #if canImport(LocalAuthentication)
    /// Shared by the uses that belong to one input, so that the person is asked once.
    let context: SystemPrompt
    #endif

    public init(reason: String, cancelTitle: String? = nil) { self.init(reason: reason, cancelTitle: cancelTitle, simulatedAnswer: nil) }

    /// Of the simulated sensor, for tests and demonstrations: what the person would do.
    public static func simulated(_ answer: SimulatedBiometrics.Answer) -> BiometricInfo {
        BiometricInfo(reason: "", cancelTitle: nil, simulatedAnswer: answer)
    }

    private init(reason: String, cancelTitle: String?, simulatedAnswer: SimulatedBiometrics.Answer?) {
        self.reason = reason
        self.cancelTitle = cancelTitle
        self.simulatedAnswer = simulatedAnswer
        #if canImport(LocalAuthentication)
        context = SystemPrompt(reason: reason, cancelTitle: cancelTitle)
        #endif
    }
}
