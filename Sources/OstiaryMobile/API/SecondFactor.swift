/// One question for the second factor, or what came of the last answer to it.
public struct SecondFactor: Sendable, Hashable {
    /// Whether the SDK no longer listens: dismiss the screen.
    public let stopped: Bool
    public let secondFactorInfo: SecondFactorInfo
    /// The login or enrolment that asks; nil when the person manages the factor itself.
    public let session: Session?
}

/// What a screen that asks for a PIN needs to know.
public struct SecondFactorInfo: Sendable, Hashable {
    /// What the second factor is asked for.
    public enum Context: String, Sendable, Hashable, CaseIterable {
        case verify = "VERIFY"
        case firstSet = "FIRST_SET"
        case biometricsAdd = "BIOMETRICS_ADD"
        case biometricsRemove = "BIOMETRICS_REMOVE"
        case pinChangeVerify = "PIN_CHANGE_VERIFY"
        case pinChangeSet = "PIN_CHANGE_SET"
    }

    /// What came of the last input.
    public enum Result: String, Sendable, Hashable, CaseIterable {
        case failed = "FAILED"
        /// Verified by the server.
        case success = "SUCCESS"
        /// Something went wrong on the way; the input may well have been right.
        case error = "ERROR"
    }

    public let context: Context
    /// Nil until the first input. A prompt that the person closed is FAILED, and costs nothing.
    public let result: Result?
    /// Whether another input is taken; means nothing while `result` is nil.
    public let retry: Bool
    /// Whether no PIN is accepted any more.
    public let blocked: Bool
    /// How many tries there are in all; 0 if unknown.
    public let maxAttempts: Int
    /// How many of them were used.
    public let failedAttempts: Int
    /// Seconds until a PIN is looked at again; an input before that is not counted.
    public let penalisedFor: Int
    /// Whether to ask for a biometric feature; the PIN is taken all the same, except in the first step of `biometricsAdd`.
    public let showBiometrics: Bool
}
