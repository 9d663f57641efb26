import OstiaryProtocol

extension Login {
    /// The cache that it gives under `pinTimeout` minutes, counted from the proof and not from the login; nil when there is none to give.
    func cache(_ value: [UInt8], under pinTimeout: Int32, at now: Instant) -> FactorCache? {
        guard pinTimeout > 0, !methods.isEmpty else { return nil }
        let expiresAt = verifiedAt + UInt64(pinTimeout) * 60
        guard now < expiresAt else { return nil }
        return FactorCache(
            account: account, hash: FactorCache.hash(of: value), expiresAt: expiresAt, isSingleUse: false, methods: methods, verifiedAt: verifiedAt)
    }
}
