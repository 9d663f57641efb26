import HTTPService
import OstiaryProtocol
import SecondFactor

/// What an operator decides about a second-factor server.
package struct SecondFactorNodeSettings: Sendable {
    /// Root hashes, 32 bytes each, of the authentication servers that may call.
    package let trustedRoots: [[UInt8]]
    package let policy: Policy
    /// The seed of the root key when it is kept apart from the database; nil: it lies in the database, wrapped.
    package let rootSeed: SecretBytes?
    /// Whether a second machine must keep what this server acknowledges: without one it does not start, and is not ready (decision 0052).
    package let needsStandby: Bool
    /// Days for which it is kept who was let in again after a block; 0 for ever.
    package let resetDays: UInt64

    package init(
        trustedRoots: [[UInt8]], policy: Policy = .standard, rootSeed: SecretBytes? = nil, needsStandby: Bool = false, resetDays: UInt64 = 0
    ) {
        self.trustedRoots = trustedRoots
        self.policy = policy
        self.rootSeed = rootSeed
        self.needsStandby = needsStandby
        self.resetDays = resetDays
    }

    /// In seconds; nil for ever.
    var resetRetention: UInt64? { resetDays == 0 ? nil : resetDays * 86_400 }
}
