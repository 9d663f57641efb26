// The names of Apple's LocalAuthentication that the SDK uses, with nothing behind them; see Security.swift.
import Foundation

public enum LAPolicy: Int {
    case deviceOwnerAuthenticationWithBiometrics = 1
}

public struct LAError: Error {
    public enum Code: Int {
        case passcodeNotSet = -5
        case biometryNotAvailable = -6
        case biometryNotEnrolled = -7
        case biometryLockout = -8
    }
}

open class LAContext {
    public var localizedReason = ""
    public var localizedCancelTitle: String?
    public var localizedFallbackTitle: String?

    public init() {}

    public func canEvaluatePolicy(_ policy: LAPolicy, error: inout NSError?) -> Bool { false }
}
