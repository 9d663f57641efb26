import OstiaryProtocol

/// How many tries a person has and how long they wait between them (protocol §7). One policy for each second-factor server.
package struct Policy: Sendable, Equatable {
    /// Tries since the last success; after that the instance is blocked.
    package let maxAttempts: Int
    /// Seconds to wait after the first, second … failed try; the last one stands for all that follow.
    package let penalties: [UInt64]
    /// Counted tries since a PIN was last proved; then only a new enrolment helps.
    package let lifetimeWithoutPIN: UInt64
    /// Resets by message that one instance gets in any 24 hours. An operator's own command is not limited.
    package let resetsPerDay: Int
    /// Biometrics on their own between two PINs; 0 for no limit.
    package let maxNumberWithoutPIN: Int
    /// Seconds since the last PIN in which biometrics on their own are enough; 0 for no limit.
    package let maxTimeWithoutPIN: UInt64
    /// Whether a PIN can be changed only by whoever knows it.
    package let disallowPINChangeWithBiometric: Bool

    /// Five tries, waits of 0, 0, 30 s and 5 min, 100 tries without a proved PIN, one reset a day, biometrics without limits.
    package static let standard = Policy(
        unchecked: 5, penalties: [0, 0, 30, 300], lifetimeWithoutPIN: 100, resetsPerDay: 1, maxNumberWithoutPIN: 0, maxTimeWithoutPIN: 0,
        disallowPINChangeWithBiometric: false)

    /// At most five, as the rules for payments ask (protocol §7).
    package static let attemptBounds = 1...5
    /// At most a day.
    package static let penaltyBounds: ClosedRange<UInt64> = 0...86_400
    package static let lifetimeBounds: ClosedRange<UInt64> = 1...100
    package static let resetBounds = 0...10
    /// Below ``Tries/unlimited``, which stands for no limit on the wire.
    package static let numberBounds = 0...65_534
    /// At most ten years.
    package static let timeBounds: ClosedRange<UInt64> = 0...315_360_000

    /// - Throws: the first setting that is out of bounds.
    package init(
        maxAttempts: Int = standard.maxAttempts, penalties: [UInt64] = standard.penalties,
        lifetimeWithoutPIN: UInt64 = standard.lifetimeWithoutPIN, resetsPerDay: Int = standard.resetsPerDay,
        maxNumberWithoutPIN: Int = standard.maxNumberWithoutPIN, maxTimeWithoutPIN: UInt64 = standard.maxTimeWithoutPIN,
        disallowPINChangeWithBiometric: Bool = standard.disallowPINChangeWithBiometric
    ) throws(PolicyError) {
        guard Self.attemptBounds.contains(maxAttempts) else { throw .maxAttempts }
        guard penalties.count <= Self.attemptBounds.upperBound, penalties.allSatisfy(Self.penaltyBounds.contains) else { throw .penalties }
        guard Self.lifetimeBounds.contains(lifetimeWithoutPIN) else { throw .lifetimeWithoutPIN }
        guard Self.resetBounds.contains(resetsPerDay) else { throw .resetsPerDay }
        guard Self.numberBounds.contains(maxNumberWithoutPIN) else { throw .maxNumberWithoutPIN }
        guard Self.timeBounds.contains(maxTimeWithoutPIN) else { throw .maxTimeWithoutPIN }
        self.init(
            unchecked: maxAttempts, penalties: penalties, lifetimeWithoutPIN: lifetimeWithoutPIN, resetsPerDay: resetsPerDay,
            maxNumberWithoutPIN: maxNumberWithoutPIN, maxTimeWithoutPIN: maxTimeWithoutPIN,
            disallowPINChangeWithBiometric: disallowPINChangeWithBiometric)
    }

    private init(
        unchecked maxAttempts: Int, penalties: [UInt64], lifetimeWithoutPIN: UInt64, resetsPerDay: Int, maxNumberWithoutPIN: Int,
        maxTimeWithoutPIN: UInt64, disallowPINChangeWithBiometric: Bool
    ) {
        self.maxAttempts = maxAttempts
        self.penalties = penalties
        self.lifetimeWithoutPIN = lifetimeWithoutPIN
        self.resetsPerDay = resetsPerDay
        self.maxNumberWithoutPIN = maxNumberWithoutPIN
        self.maxTimeWithoutPIN = maxTimeWithoutPIN
        self.disallowPINChangeWithBiometric = disallowPINChangeWithBiometric
    }

    /// pen(n): seconds to wait after the n-th failed try. None after the last: the block takes over.
    func penalty(afterFailures failures: UInt64) -> UInt64 {
        guard failures > 0, failures < UInt64(maxAttempts), let last = penalties.last else { return 0 }
        return failures <= UInt64(penalties.count) ? penalties[Int(failures) - 1] : last
    }

    /// Biometrics on their own that may follow after `used` since the last PIN.
    func withoutPINLeft(after used: UInt16) -> UInt16 {
        maxNumberWithoutPIN == 0 ? Tries.unlimited : UInt16(clamping: maxNumberWithoutPIN - Int(used))
    }

    /// Whether one more biometric on its own is within the limits by number and by time.
    func allowsBiometric(after used: UInt16, secondsSincePIN seconds: UInt64) -> Bool {
        withoutPINLeft(after: used) > 0 && (maxTimeWithoutPIN == 0 || seconds < maxTimeWithoutPIN)
    }
}

/// Which setting of a policy is out of its bounds.
package enum PolicyError: Error, Equatable, Sendable {
    case maxAttempts, penalties, lifetimeWithoutPIN, resetsPerDay, maxNumberWithoutPIN, maxTimeWithoutPIN
}

extension PolicyError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .maxAttempts: "the number of tries must be from \(Policy.attemptBounds.lowerBound) to \(Policy.attemptBounds.upperBound)"
        case .penalties: "give at most \(Policy.attemptBounds.upperBound) penalties of 0 to \(Policy.penaltyBounds.upperBound) seconds"
        case .lifetimeWithoutPIN:
            "the tries without a proved PIN must be from \(Policy.lifetimeBounds.lowerBound) to \(Policy.lifetimeBounds.upperBound)"
        case .resetsPerDay: "the resets a day must be from \(Policy.resetBounds.lowerBound) to \(Policy.resetBounds.upperBound)"
        case .maxNumberWithoutPIN: "the biometrics without a PIN must be from 0 to \(Policy.numberBounds.upperBound)"
        case .maxTimeWithoutPIN: "the time without a PIN must be from 0 to \(Policy.timeBounds.upperBound) seconds"
        }
    }
}
