#if canImport(LocalAuthentication)
import Foundation
import LocalAuthentication

/// Face ID, Touch ID and Optic ID, all of which Apple's systems consider strong enough to guard a key.
///
/// Type-checked against stubs of Apple's frameworks; never run on a device.
public struct SystemBiometrics: BiometricPrompt {
    public init() {}

    public var availability: BiometricAvailability {
        var error: NSError?
        if LAContext().canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error) { return .available }
        switch error.flatMap({ LAError.Code(rawValue: $0.code) }) {
        case .biometryNotEnrolled, .passcodeNotSet: return .notEnrolled
        // Locked after wrong features: the system itself asks for the passcode then.
        case .biometryLockout: return .available
        default: return .none
        }
    }
}
#endif

#if canImport(Security) && canImport(LocalAuthentication)
extension Ports {
    /// The platform of an Apple device: Secure Enclave, Keychain, and accounts as a file in `home`, a folder of the app that is in no backup.
    public static func apple(
        home: String, transport: any Transport = URLSessionTransport(), clock: any DeviceClock = SystemClock()
    ) throws(OstiaryError) -> Ports {
        do throws(AccountStoreError) {
            var ports = Ports(
                keys: EnclaveKeyStore(), accounts: try FileAccountStore(home: home), transport: transport, clock: clock,
                biometrics: SystemBiometrics())
            ports.tokens = try FileAccountStore.tokens(home: home)
            // The system ends an app that is suspended while it holds a lock of the file system.
            ports.tokenLock = LeasedTokenLock(in: try FileAccountStore(home: home + "/turn"), clock: clock)
            return ports
        } catch {
            throw .storeUnavailable
        }
    }
}
#endif
