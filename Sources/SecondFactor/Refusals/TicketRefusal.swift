import OstiaryProtocol

/// Why a ticket was refused: precise for the log and the tests.
package enum TicketRefusal: Error, Equatable, Sendable {
    /// The signature of the ticket, or its virtual server, is not the caller's.
    case notSigned, otherServer
    /// The sealed part does not open, or is not the one that the device key signed for.
    case notOpened, sealedHash, ephemeralHash, blindedHash
    /// What was sealed is not one element of the group.
    case notAnElement
    /// The payload is not what the context asks for, or the session hash does not cover it.
    case payload, sessionHash
    /// No device key of the instance signed the attempt.
    case deviceSignature
    /// The device key of a first PIN did not sign the attempt that brings it.
    case firstDeviceSignature
    /// The attempt is known with other content.
    case attemptReused
    /// Another attempt took the place of this one; its key is gone.
    case superseded
    /// The time of the attempt is too far from ours.
    case clock
    case closed, unknownInstance, wrongEpoch
    /// FIRST_SET for an instance that is there, under another number than 0 or another epoch than 1.
    case instanceExists, notAFirstSet
    /// PIN_CHANGE_SET under another number than 0.
    case notAPINChange
    /// PIN_CHANGE_SET without a PIN_CHANGE_VERIFY of this instance and epoch that was proved in the last minutes, by a method that may vouch.
    case notVouchedFor
    /// A new PIN while another virtual server or device key has one under way for this id.
    case pendingElsewhere
    case tooManyDeviceKeys
    case outOfRange
    case behind, blocked
    case penalised(wait: UInt64)

    /// What the authentication server is told (protocol §2). Whatever a forger could cause shares one word.
    package var status: Status {
        switch self {
        case .notSigned, .otherServer, .notOpened, .sealedHash, .ephemeralHash, .blindedHash, .notAnElement, .payload,
            .sessionHash, .firstDeviceSignature, .attemptReused, .superseded, .instanceExists, .notAFirstSet, .notAPINChange, .notVouchedFor,
            .pendingElsewhere, .tooManyDeviceKeys,
            .outOfRange:
            .refused
        case .clock: .clock
        case .closed: .closed
        // The caller knows that its account's key signed: a key that is not there was forgotten in a restore, or has left.
        case .unknownInstance, .deviceSignature: .secondFactorUnknown
        case .wrongEpoch: .wrongEpoch
        case .behind: .sequence
        case .blocked: .blocked
        case .penalised: .penalised
        }
    }
}
