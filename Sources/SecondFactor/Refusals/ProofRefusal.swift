import OstiaryProtocol

/// Why a proof was refused: precise for the log and the tests.
package enum ProofRefusal: Error, Equatable, Sendable {
    /// The signature of the message, or its virtual server, is not the caller's.
    case notSigned, otherServer
    /// Methods that do not prove this context, signatures that do not belong to the method, or a policy that forbids it.
    case methodNotOffered
    case unknownAttempt
    /// Instance, session hash, context or epoch are not those of the attempt.
    case attemptMismatch
    /// The attempt was proved by another signature or method, or is known with other content.
    case alreadyProved
    /// Another attempt took the place of this one; its key is gone.
    case superseded
    case tooLate
    /// The signature of the opened box does not fit.
    case secondFactorSignature
    /// What came as the second-factor key of a new PIN is none.
    case secondFactorKey
    /// A change that was vouched for by PIN keeps the second-factor key.
    case otherSecondFactorKey
    /// The signature of a biometric key or of a device key does not fit, or the instance has no such key.
    case biometricSignature, deviceSignature, noBiometricKey
    case instanceExists, closed, tooManyDeviceKeys
    /// The time in the attempt of a biometric is too far from ours.
    case clock
    case unknownInstance, wrongEpoch, outOfRange
    /// Too many tries, or too many or too old biometrics, since the last PIN.
    case blocked, pinRequired

    /// What the authentication server is told.
    package var status: Status {
        switch self {
        case .notSigned, .otherServer, .methodNotOffered, .unknownAttempt, .attemptMismatch, .alreadyProved, .superseded, .tooLate,
            .secondFactorSignature, .secondFactorKey, .otherSecondFactorKey, .biometricSignature, .deviceSignature, .noBiometricKey, .instanceExists,
            .tooManyDeviceKeys, .outOfRange:
            .refused
        case .closed: .closed
        case .clock: .clock
        case .unknownInstance: .secondFactorUnknown
        case .wrongEpoch: .wrongEpoch
        case .blocked: .blocked
        case .pinRequired: .pinRequired
        }
    }
}
