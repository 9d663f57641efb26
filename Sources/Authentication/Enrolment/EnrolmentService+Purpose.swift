import OstiaryProtocol

/// What an enrolment has to do with the account that is there, and with what the virtual server allows (decision 0046). Looked at when it begins, when a phone
/// takes it, and when the account is made or changed.
extension EnrolmentService {
    /// Whose account it will be, and what the phone calls it.
    func names(of start: EnrolmentStart, at server: ServerID, in rows: any AuthenticationRows) throws -> (userID: String?, displayName: String) {
        let parameters = try rows.existing(server).parameters
        switch start.purpose {
        case .full: return (start.userID, start.displayName)
        case .headless:
            guard parameters.flags.contains(.enableHeadless) else { throw EnrolmentStartError.headlessNotOffered }
            return (start.userID, start.displayName)
        case .upgrade(let id):
            guard let account = try rows.account(id), account.server == server else { throw EnrolmentStartError.accountUnknown }
            guard account.isHeadless else { throw EnrolmentStartError.accountIsFull }
            guard account.state != .pending else { throw EnrolmentStartError.accountPending }
            guard !account.isBlocked else { throw EnrolmentStartError.upgradeBlocked }
            return (account.userID, account.displayName)
        }
    }

    /// Whether a backend may be given the address of a page that begins this. What refuses it then is said to the backend, because the person who is sent to
    /// the page could do nothing about it. That a code is awaited under this very nonce refuses nothing: the page asks for that code.
    /// - Throws: `UnknownServer`, `EnrolmentStartError`.
    package func admitPage(_ start: EnrolmentStart, at server: ServerID, now: Instant) async throws {
        try await store.read { rows in
            _ = try names(of: start, at: server, in: rows)
            _ = try unfinishedUpgrades(beside: start, in: rows, at: now)
        }
    }

    /// What was begun for the same account under other nonces, and is not written down as over.
    /// - Throws: `EnrolmentStartError.confirming` while a second factor that was set waits for its code.
    func unfinishedUpgrades(beside start: EnrolmentStart, in rows: any AuthenticationRows, at now: Instant) throws -> [Enrolment] {
        guard let account = start.purpose.upgraded else { return [] }
        let others = try rows.upgrades(of: account).filter { $0.nonceHash != start.nonce.hash }
        guard !others.contains(where: { $0.settled(at: now).awaitsCode }) else { throw EnrolmentStartError.confirming }
        return others
    }

    /// Ends these: the account has one enrolment at a time, the newest.
    /// - Returns: them as they ended.
    func overtake(_ others: [Enrolment], in rows: any AuthenticationRows, at now: Instant) throws -> [Enrolment] {
        try others.map { other in
            let ended = other.overtaken()
            // One whose ten minutes are over, and that nobody has ended yet.
            guard case .confirming(let claim, _) = other.state else {
                try rows.save(ended)
                return ended
            }
            try Confirmation.giveUp(claim, of: other, by: .server, in: rows, at: now) { try rows.save(ended) }
            return ended
        }
    }
}

extension Enrolment {
    /// Throws unless what it is for may still come about by this device key. An enrolment that is over says why by itself.
    /// - Parameter leaving: what is said while the second-factor server has still to forget this key, of an upgrade before that came to nothing: it would
    ///   forget it after it has joined again.
    func checkPurpose(_ deviceKey: [UInt8], whileLeaving leaving: Refusal, in rows: any AuthenticationRows) throws {
        if case .failed = state { return }
        switch purpose {
        case .full: return
        case .headless:
            guard try rows.existing(server).parameters.flags.contains(.enableHeadless) else { throw Refusal.notOffered }
        case .upgrade(let id):
            let account = try rows.living(id, at: server)
            // The link is for the phone that has the account: another one is too late, whatever it knows.
            guard account.deviceKey == deviceKey, account.state == .active, account.isHeadless else { throw Refusal.enrolmentUsed }
            guard !account.isBlocked else { throw Refusal.accountBlocked }
            guard try !rows.isLeaving(deviceKey) else { throw leaving }
        }
    }
}
