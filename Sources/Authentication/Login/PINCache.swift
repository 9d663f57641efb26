import OstiaryProtocol

/// That an account proved its second factor a while ago: a random value in the memory of the phone, of which the server keeps the hash (protocol §6).
package struct PINCache: Equatable, Sendable {
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

    /// Whether `value` is this cache and may still be used.
    func accepts(_ value: [UInt8], under pinTimeout: Int32, at now: Instant) -> Bool {
        matches(Self.hash(of: value), hash) && isUsable(under: pinTimeout, at: now)
    }

    /// Whether it may be used where a PIN is good for `pinTimeout` minutes now, which may be less than when the cache was given.
    func isUsable(under pinTimeout: Int32, at now: Instant) -> Bool {
        guard now <= expiresAt else { return false }
        return isSingleUse || pinTimeout > 0 && now <= verifiedAt + UInt64(pinTimeout) * 60
    }

    /// The cache that a login gives under `pinTimeout` minutes, counted from the proof and not from the login; nil when there is none to give.
    static func afterLogin(
        _ login: Login, pinTimeout: Int32, value: [UInt8], at now: Instant
    ) -> PINCache? {
        guard pinTimeout > 0, !login.methods.isEmpty else { return nil }
        let expiresAt = login.verifiedAt + UInt64(pinTimeout) * 60
        guard now < expiresAt else { return nil }
        return PINCache(
            account: login.account, hash: hash(of: value), expiresAt: expiresAt, isSingleUse: false, methods: login.methods,
            verifiedAt: login.verifiedAt)
    }
}
