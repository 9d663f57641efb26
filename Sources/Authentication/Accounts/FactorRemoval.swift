import OstiaryProtocol

extension Account {
    /// Saves a headless account as it was before its second factor was set; what the second-factor server has of it is closed, or leaves. The enrolment whose
    /// code was awaited ends as deleted.
    func withoutNewFactor(in rows: any AuthenticationRows, at now: Instant) throws {
        try withoutNewFactor(in: rows, at: now) { if state == .upgrading { try rows.endConfirming(id, at: now) } }
    }

    /// The same where the enrolment ends by something else.
    /// - Parameter endEnrolment: saves it, and what ends beside it, in its turn; also where the account has no new factor.
    func withoutNewFactor(in rows: any AuthenticationRows, at now: Instant, endingEnrolment endEnrolment: () throws -> Void) throws {
        guard state == .upgrading, let instance else { return try endEnrolment() }
        var headless = self
        (headless.instance, headless.state) = (nil, .active)
        try rows.save(headless)
        try endEnrolment()
        try InstanceRemoval(deviceKey: deviceKey, instance: instance, server: server).apply(in: rows, at: now)
    }
}

/// What becomes of an instance when an account has let it go.
struct InstanceRemoval: Sendable {
    let deviceKey: [UInt8]
    let instance: InstanceID
    let server: ServerID

    /// The last account of an instance is gone: its shares go now, its evaluation key as soon as the second-factor server can be told. While others keep it,
    /// the device key alone leaves.
    func apply(in rows: any AuthenticationRows, at now: Instant) throws {
        guard try rows.accounts(ofInstance: instance).isEmpty else {
            return try rows.queue(PendingLeave(deviceKey: deviceKey, instance: instance, server: server, retry: RetrySchedule(from: now)))
        }
        try rows.removeInstance(instance)
        try rows.queue(PendingClose(instance: instance, server: server, retry: RetrySchedule(from: now)))
    }
}
