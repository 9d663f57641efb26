import OstiaryProtocol

/// Why a proof was refused: precise for the log and the tests.
package enum ProofRefusal: Error, Equatable, Sendable {
    /// The signature of the message, or its virtual server, is not the caller's.
    case notSigned, otherServer
    /// Not a proof by PIN, or with parts that a proof by PIN does not have.
    case methodNotOffered
    case unknownAttempt
    /// Instance, session hash, context or epoch are not those of the attempt.
    case attemptMismatch
    /// The attempt was proved by another signature.
    case alreadyProved
    /// Another attempt took the place of this one; its key is gone.
    case superseded
    case tooLate
    /// The signature of the opened box does not fit.
    case secondFactorSignature
    case instanceExists, closed, tooManyDeviceKeys

    /// What the authentication server is told.
    package var status: Status {
        switch self {
        case .notSigned, .otherServer, .methodNotOffered, .unknownAttempt, .attemptMismatch, .alreadyProved, .superseded, .tooLate,
            .secondFactorSignature, .instanceExists, .tooManyDeviceKeys:
            .refused
        case .closed: .closed
        }
    }
}
