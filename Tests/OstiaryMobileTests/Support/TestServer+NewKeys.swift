import OstiaryProtocol
import OstiaryTesting

extension TestServer {
    /// The second-factor server signs with a key that no bundle had until now, as after its clock was wrong for a moment.
    /// - Parameter certifiedBy: whose root certifies it; nil for its own.
    func replaceSecondFactorOperatorKey(certifiedBy root: RootKey? = nil) throws {
        try secondFactor.replaceOperatorKey(certifiedBy: root ?? secondFactor.root, at: Instant(clock.wall))
    }

    /// The second-factor server opens nothing any more that is sealed to its keys so far, as after a restore.
    func loseSecondFactorPrekeys() throws { try secondFactor.rotatePrekey() }

    /// The server's clock is wrong, and it signs with a key that it made because none of its own was valid by it.
    func jump(by seconds: Int64) throws {
        mishaps.clockAhead = seconds
        bundleSequence = now
        try keys.replaceOperatorKey(certifiedBy: keys.root, at: now)
    }

    /// What the second-factor server counted of an instance.
    struct Counted: Equatable, Sendable {
        /// Tries that were wrong or not proved.
        let failed: Int
        /// All that there were.
        let highest: Int
    }

    /// Of the only instance.
    var counted: Counted {
        get throws {
            let instance = try present(instances.values.first)
            return Counted(failed: instance.failed, highest: instance.highest)
        }
    }
}
