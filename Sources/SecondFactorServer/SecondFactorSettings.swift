import HTTPService
import OstiaryProtocol
import SecondFactor

/// What an operator decides about a second-factor server.
package struct SecondFactorSettings: Sendable {
    /// Root hashes, 32 bytes each, of the authentication servers that may call.
    package let trustedRoots: [[UInt8]]
    package let policy: Policy
    /// The seed of the root key when it is kept apart from the database; nil: it lies in the database, wrapped.
    package let rootSeed: SecretBytes?

    package init(trustedRoots: [[UInt8]], policy: Policy = .standard, rootSeed: SecretBytes? = nil) {
        self.trustedRoots = trustedRoots
        self.policy = policy
        self.rootSeed = rootSeed
    }
}

extension Policy {
    /// The policy that the settings ask for; what they do not name keeps its default.
    package init(_ settings: SecondFactorPolicySettings) throws(PolicyError) {
        try self.init(
            maxAttempts: settings.maxAttempts, penalties: settings.penalties, lifetimeWithoutPIN: UInt64(settings.lifetimeWithoutPIN),
            resetsPerDay: settings.resetsPerDay, maxNumberWithoutPIN: settings.maxWithoutPIN, maxTimeWithoutPIN: settings.maxTimeWithoutPIN,
            disallowPINChangeWithBiometric: settings.disallowPINChangeWithBiometric)
    }
}
