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

    /// Five tries, waits of 0, 0, 30 s and 5 min, 100 tries without a proved PIN, one reset a day.
    package static let standard = Policy(unchecked: 5, penalties: [0, 0, 30, 300], lifetimeWithoutPIN: 100, resetsPerDay: 1)

    /// At most five, as the rules for payments ask (protocol §7).
    package static let attemptBounds = 1...5
    /// At most a day.
    package static let penaltyBounds: ClosedRange<UInt64> = 0...86_400
    package static let lifetimeBounds: ClosedRange<UInt64> = 1...100
    package static let resetBounds = 0...10

    /// - Throws: the first setting that is out of bounds.
    package init(
        maxAttempts: Int = standard.maxAttempts, penalties: [UInt64] = standard.penalties,
        lifetimeWithoutPIN: UInt64 = standard.lifetimeWithoutPIN, resetsPerDay: Int = standard.resetsPerDay
    ) throws(PolicyError) {
        guard Self.attemptBounds.contains(maxAttempts) else { throw .maxAttempts }
        guard penalties.count <= Self.attemptBounds.upperBound, penalties.allSatisfy(Self.penaltyBounds.contains) else { throw .penalties }
        guard Self.lifetimeBounds.contains(lifetimeWithoutPIN) else { throw .lifetimeWithoutPIN }
        guard Self.resetBounds.contains(resetsPerDay) else { throw .resetsPerDay }
        self.init(unchecked: maxAttempts, penalties: penalties, lifetimeWithoutPIN: lifetimeWithoutPIN, resetsPerDay: resetsPerDay)
    }

    private init(unchecked maxAttempts: Int, penalties: [UInt64], lifetimeWithoutPIN: UInt64, resetsPerDay: Int) {
        self.maxAttempts = maxAttempts
        self.penalties = penalties
        self.lifetimeWithoutPIN = lifetimeWithoutPIN
        self.resetsPerDay = resetsPerDay
    }

    /// pen(n): seconds to wait after the n-th failed try. None after the last: the block takes over.
    func penalty(afterFailures failures: UInt64) -> UInt64 {
        guard failures > 0, failures < UInt64(maxAttempts), let last = penalties.last else { return 0 }
        return failures <= UInt64(penalties.count) ? penalties[Int(failures) - 1] : last
    }
}

/// Which setting of a policy is out of its bounds.
package enum PolicyError: Error, Equatable, Sendable {
    case maxAttempts, penalties, lifetimeWithoutPIN, resetsPerDay
}

extension PolicyError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .maxAttempts: "the number of tries must be from \(Policy.attemptBounds.lowerBound) to \(Policy.attemptBounds.upperBound)"
        case .penalties: "give at most \(Policy.attemptBounds.upperBound) penalties of 0 to \(Policy.penaltyBounds.upperBound) seconds"
        case .lifetimeWithoutPIN:
            "the tries without a proved PIN must be from \(Policy.lifetimeBounds.lowerBound) to \(Policy.lifetimeBounds.upperBound)"
        case .resetsPerDay: "the resets a day must be from \(Policy.resetBounds.lowerBound) to \(Policy.resetBounds.upperBound)"
        }
    }
}
