/// What the failures of Apple's frameworks mean to the SDK, by the numbers of their headers, so that it is tested on every system.
enum SecurityFailure {
    /// Of a device key or a secret; an `OSStatus` of the Keychain.
    static func keyStoreError(_ status: Int32) -> KeyStoreError {
        switch status {
        case itemNotFound: .unknownName
        case decode: .unreadable
        default: .unavailable
        }
    }

    /// Of a biometric key, by the domain and the code of the error.
    static func biometricError(domain: String, code: Int) -> BiometricError {
        domain == localAuthentication ? localAuthenticationError(code) : biometricError(Int32(truncatingIfNeeded: code))
    }

    /// A key that was there and cannot be found is one whose set of features is gone.
    static func biometricError(_ status: Int32) -> BiometricError {
        switch status {
        case itemNotFound: .changed
        case userCanceled: .cancelled
        case authFailed: .notConfirmed
        default: .unavailable
        }
    }

    private static func localAuthenticationError(_ code: Int) -> BiometricError {
        switch code {
        // authenticationFailed
        case -1: .notConfirmed
        // userCancel, userFallback, systemCancel, appCancel
        case -2, -3, -4, -9: .cancelled
        default: .unavailable
        }
    }

    static let localAuthentication = "com.apple.LocalAuthentication"
    static let itemNotFound: Int32 = -25_300
    static let authFailed: Int32 = -25_293
    private static let userCanceled: Int32 = -128
    private static let decode: Int32 = -26_275
}
