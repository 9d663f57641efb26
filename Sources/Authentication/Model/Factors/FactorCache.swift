import OstiaryProtocol

/// That an account proved its second factor a while ago: a random value in the memory of the phone, of which the server keeps the hash (protocol §6).
package struct FactorCache: Equatable, Sendable {
    /// Seconds for which the login straight after an enrolment is silent.
    package static let activationLife: UInt64 = 60

    package let account: AccountID
    package let hash: [UInt8]
    package let expiresAt: Instant
    /// The one that an activation gives is good for one login.
    package let isSingleUse: Bool
    /// What was proved, and when: a login by the cache says no more than that.
    package let methods: Methods
    package let verifiedAt: Instant

    package init(account: AccountID, hash: [UInt8], expiresAt: Instant, isSingleUse: Bool, methods: Methods, verifiedAt: Instant) {
        self.account = account
        self.hash = hash
        self.expiresAt = expiresAt
        self.isSingleUse = isSingleUse
        self.methods = methods
        self.verifiedAt = verifiedAt
    }

    package static func hash(of value: [UInt8]) -> [UInt8] { SHA(value) }

    /// Whether it is the cache of this value.
    func isOf(_ value: [UInt8]) -> Bool { matches(Self.hash(of: value), hash) }
}
