import OstiaryProtocol

extension Account {
    /// Saves a headless account as it was before its second factor was set; what the second-factor server has of it is closed, or leaves.
    func withoutNewFactor(in rows: any AuthenticationRows, at now: Instant) throws {
        guard state == .upgrading, let instance else { return }
        var headless = self
        (headless.instance, headless.state) = (nil, .active)
        try rows.save(headless)
        if let enrolment = try rows.enrolment(account: id)?.settled(at: now), case .confirming = enrolment.state {
            try rows.save(try enrolment.after(.delete, at: now))
        }
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
