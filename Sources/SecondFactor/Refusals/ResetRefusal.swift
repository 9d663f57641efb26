import OstiaryProtocol

/// Why a reset was refused.
package enum ResetRefusal: Error, Equatable, Sendable {
    case notSigned, otherServer, clock, unknownInstance, closed
    /// The instance had its resets of the day.
    case tooMany

    package var status: Status {
        switch self {
        case .notSigned, .otherServer: .refused
        case .clock: .clock
        case .unknownInstance: .secondFactorUnknown
        case .closed: .closed
        case .tooMany: .tooMany
        }
    }
}
