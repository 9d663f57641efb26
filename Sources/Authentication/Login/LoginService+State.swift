import OstiaryProtocol

extension LoginService {
    /// L7: what the phone is at goes to the page. It moves and ends nothing; the next M1 or L5 takes its place (protocol §6).
    package func note(_ request: PhoneRequest) async throws -> Reply {
        let message = try decoded(L7.self, from: request)
        let admission = PhoneStateAdmission(message: message, request: request, derivation: try await keyring.keys(of: request.server).derivation)
        try await request.verifyAhead(message, in: store) { rows in try rows.account(message.value.accountID)?.deviceKey }
        let changed = try await store.write { rows, former -> Session? in
            // Found as it was told: the first look told it.
            try admission.take(in: rows, again: former != nil) ?? former ?? nil
        }
        if let changed { events.publish(.about(changed, .phoneState)) }
        return Reply()
    }
}

/// The checks on an L7, in the order of protocol §6, inside a transaction.
struct PhoneStateAdmission: Sendable {
    let message: Encoded<L7>
    let request: PhoneRequest
    let derivation: SessionDerivation

    /// The session, if it shows something else now.
    func take(in rows: any AuthenticationRows, again: Bool) throws -> Session? {
        let told = message.value
        let account = try rows.living(told.accountID, at: request.server)
        try request.verify(message, by: account.deviceKey)
        try account.checkMayLogIn()
        let session = try session(of: account, in: rows)
        let report = PhoneReport(state: told.state, until: told.until)
        let noted = try session.taking(.report(account.id, report), at: request.now)
        try request.spend(in: rows, again: again)
        guard noted != session else { return nil }
        try rows.save(noted)
        return noted
    }

    /// While nobody has claimed the session, only an offer shows that its sender was shown it, and that it is still what is asked.
    private func session(of account: Account, in rows: any AuthenticationRows) throws -> Session {
        guard let session = try rows.session(message.value.sessionID)?.settled(at: request.now), session.server == request.server
        else { throw Refusal.sessionUnknown }
        guard session.state == .open else { return session }
        return try OfferedSession(message.value.offer, of: session.id, for: account.id, request, derivation).session(in: rows)
    }
}
