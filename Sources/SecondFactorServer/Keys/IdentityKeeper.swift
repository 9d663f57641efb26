import OstiaryProtocol

/// Holds the identity in memory and renews it when its time has come; however many ask at once, one renewal runs.
actor IdentityKeeper {
    private let keys: IdentityRenewal
    private var current: OwnIdentity?
    private var renewal: Task<OwnIdentity, any Error>?

    init(_ keys: IdentityRenewal) { self.keys = keys }

    /// - Throws: ``IdentityError``, `SQLError`.
    func identity(at now: Instant) async throws -> OwnIdentity {
        if let current, current.isGood(at: now) { return current }
        if let renewal { return try await renewal.value }
        let renewal = Task { [keys, root = current?.root] in try await keys.renewed(after: root, at: now) }
        self.renewal = renewal
        defer { self.renewal = nil }
        let identity = try await renewal.value
        current = identity
        return identity
    }
}
