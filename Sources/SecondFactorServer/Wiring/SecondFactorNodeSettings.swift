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

    package init(trustedRoots: [[UInt8]], policy: Policy = .standard, rootSeed: SecretBytes? = nil, needsStandby: Bool = false) {
        self.trustedRoots = trustedRoots
        self.policy = policy
        self.rootSeed = rootSeed
        self.needsStandby = needsStandby
    }
}
