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
            guard account.upgrade == nil, Self.confirmationIsOver(error) else { throw error }
            _ = try? remove(account.id, because: .neverMade)
            throw .enrolmentExpired
        }
        try confirm(account, outcome)
        // From here on the account stays, whatever becomes of this session.
        if flow?.session == id { flow?.onAbort = nil }
        guard outcome.result == .loggedIn else { throw .serverAnswer }
        // Nobody is logged in without a second factor, and nothing remembers one.
        guard !outcome.isHeadless else {
            if flow?.session == id { flow = nil }
            return close(id, as: .enrolled)
        }
        if let token = outcome.cache { caches[account.id] = FactorCache(token: SecretBytes(token), isSingleUse: true) }
        guard let sid = outcome.sessionID else {
            // Confirmed, but nobody was there to go on with the browser's session: the account stays, that session is over.
            return close(id, as: .timeout)
        }
        try await loggedIn(id, outcome, sid: sid, account: account.id)
    }

    /// The account as the server says that it is from now on: a new one is active, a headless one that was upgraded has its second factor.
    /// - Throws: `serverAnswer` where a new account is said to be of another kind than the person confirmed, `enrolmentExpired` for an upgrade whose code was
    ///   not typed: then the account is as it was.
    private func confirm(_ account: StoredAccount, _ outcome: L6) throws(OstiaryError) {
        if let upgrade = account.upgrade {
            try write { (state) throws(OstiaryError) in
                // Another process of this phone may have heard it first.
                guard state.account(account.id)?.upgrade == upgrade else { return }
                guard !outcome.isHeadless else { return state.dropUpgrade(of: account.id) }
                state.adoptUpgrade(of: account.id)
            }
            destroyDiscarded()
            guard !outcome.isHeadless else { throw .enrolmentExpired }
            note(offlineCodes: outcome.offlineCodes, by: account.id)
        } else {
            guard outcome.isHeadless == account.isHeadless else { throw .serverAnswer }
            try write { (state) throws(OstiaryError) in state.setAccount(account.id) { $0.state = .active } }
        }
        if let active = stored?.account(account.id) { emit(.accountUpdated(shown(active))) }
    }

    /// What became of a second factor of which this phone did not hear the end, at the server's first word. The account stays in any case.
    /// - Returns: the server's answer, where there is something to go on with: it waits for its code, or it counts.
    func fateOfUpgrade(of account: StoredAccount, _ upgrade: StoredUpgrade) async -> Exchanged? {
        guard let first = await askWhetherConfirmed(nil, account) else { return nil }
        guard first.status != .accountPending else { return first }
        let line = confirmationLine(nil, of: account, patience: 0, hold: 0)
        let outcome: L6
        do throws(OstiaryError) { outcome = try line.accept(first, as: L6.self, by: self).value } catch { return nil }
        guard outcome.isHeadless else { return first }
        // What the server has not heard by now it does not take any more (protocol §4, §5).
        guard upgrade.startedAt + Self.enrolmentLife < ports.clock.wall else { return nil }
        _ = try? write { (state) throws(OstiaryError) in state.dropUpgrade(of: account.id) }
        destroyDiscarded()
        return nil
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
    func askWhetherConfirmed(_ id: Session.ID?, _ account: StoredAccount) async -> Exchanged? {
        try? await confirmationLine(id, of: account, patience: 0, hold: 0).send(W1(accountID: account.id, hold: 0), by: self)
    }

    private func confirmationLine(_ id: Session.ID?, of account: StoredAccount, patience: Double, hold: UInt8) -> ServerLine {
        var line = ServerLine(of: account, session: id, patience: patience)
        line.timeout += Double(hold)
        line.isInOrder = true
        return line
    }

    func showCode(_ id: Session.ID, of account: StoredAccount) {
        change(id) { $0.shown.state = .waitingForUserInput }
        guard let session = session(id)?.shown else { return }
        emit(.enrolConfirmation(session, code: ConfirmationCode(enrolHash: (account.upgrade?.enrolHash ?? account.enrolHash).bytes).description))
    }

    /// Three wrong codes, or ten minutes: the server forgot an account that never was one.
    private static func confirmationIsOver(_ error: OstiaryError) -> Bool {
        switch error {
        case .accountUnknown, .accountDeleted, .refused, .enrolmentExpired, .sessionUnknown: true
        default: false
        }
    }
}
