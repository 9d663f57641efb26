import OstiaryProtocol

/// Waiting for the code to be typed into the enrolling browser (W1, protocol §5).
extension Engine {
    /// Waits until the server says that the account is confirmed, and logs in with what it says then. Shows the code when it turns out to be
    /// needed, unless it is shown already.
    /// - Parameter first: the server's answer, if it was asked before.
    func awaitConfirmation(
        _ id: Session.ID, of account: StoredAccount, isCodeShown: Bool, after first: Exchanged? = nil
    ) async throws(OstiaryError) {
        let outcome: L6
        do throws(OstiaryError) {
            outcome = try await confirmed(id, account, isCodeShown, first)
        } catch {
            guard Self.confirmationIsOver(error) else { throw error }
            _ = try? remove(account.id, because: .neverMade)
            throw .enrolmentExpired
        }
        try write { (state) throws(OstiaryError) in state.setAccount(account.id) { $0.state = .active } }
        if let active = stored?.account(account.id) { emit(.accountUpdated(shown(active))) }
        // From here on the account stays, whatever becomes of this session.
        if flow?.session == id { flow?.onAbort = nil }
        if let token = outcome.cache { caches[account.id] = FactorCache(token: SecretBytes(token), isSingleUse: true) }
        guard outcome.result == .loggedIn else { throw .serverAnswer }
        guard let sid = outcome.sessionID else {
            // Confirmed, but nobody was there to go on with the browser's session: the account stays, that session is over.
            return close(id, as: .timeout)
        }
        try await loggedIn(id, outcome, sid: sid, account: account.id)
    }

    private func confirmed(
        _ id: Session.ID, _ account: StoredAccount, _ isCodeShown: Bool, _ first: Exchanged?
    ) async throws(OstiaryError) -> L6 {
        var (hold, known) = (isCodeShown ? longestHold : 0, first)
        while true {
            let began = ports.clock.monotonic
            let line = confirmationLine(id, of: account, patience: Double(Self.enrolmentLife), hold: hold)
            let exchanged = if let known { known } else { try await line.send(W1(accountID: account.id, hold: hold), by: self) }
            known = nil
            try checkNotAborted()
            guard session(id)?.shown.isOver == false else { throw .cancelled }
            guard exchanged.status == .accountPending else { return try line.accept(exchanged, as: L6.self, by: self).value }
            if hold == 0 { showCode(id, of: account) }
            hold = longestHold
            // A server that does not hold the question is not asked more than once a second.
            if ports.clock.monotonic <= began { await ports.clock.sleep(seconds: 1) }
            try checkNotAborted()
        }
    }

    /// One try to hear whether the code was typed, without waiting for it; nil where that cannot be heard now.
    func askWhetherConfirmed(_ id: Session.ID, _ account: StoredAccount) async -> Exchanged? {
        try? await confirmationLine(id, of: account, patience: 0, hold: 0).send(W1(accountID: account.id, hold: 0), by: self)
    }

    private func confirmationLine(_ id: Session.ID, of account: StoredAccount, patience: Double, hold: UInt8) -> ServerLine {
        var line = ServerLine(of: account, session: id, patience: patience)
        line.timeout += Double(hold)
        line.isInOrder = true
        return line
    }

    func showCode(_ id: Session.ID, of account: StoredAccount) {
        change(id) { $0.shown.state = .waitingForUserInput }
        guard let session = session(id)?.shown else { return }
        emit(.enrolConfirmation(session, code: ConfirmationCode(enrolHash: account.enrolHash.bytes).description))
    }

    /// Three wrong codes, or ten minutes: the server forgot an account that never was one.
    private static func confirmationIsOver(_ error: OstiaryError) -> Bool {
        switch error {
        case .accountUnknown, .accountDeleted, .refused, .enrolmentExpired, .sessionUnknown: true
        default: false
        }
    }
}
