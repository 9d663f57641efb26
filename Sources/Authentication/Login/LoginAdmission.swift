import OstiaryProtocol

/// What an L5 that passed its checks asks for.
enum LoginCase: Sendable {
    /// The very decision that the session ended or began with: answered again.
    case repeated(Session)
    case denial(SessionState.Denial)
    /// No second factor is asked at this server.
    case deviceOnly
    /// A proof of a while ago stands for the second factor.
    case cached(FactorCache)
    /// The second-factor server has to say that the attempt was counted and proved.
    case proof(SecondFactorProof)
    /// Not the number that the client shows. Nothing else was looked at.
    case numberWrong
}

/// The checks on an L5, in the order of protocol §6, inside a transaction.
struct LoginAdmission: Sendable {
    let message: Encoded<L5>
    let request: PhoneRequest
    let derivation: SessionDerivation

    private var decision: L5 { message.value }
    /// What makes two copies of a decision the same: all of it but the signature, which is random.
    var decisionHash: [UInt8] { SHA(message.unsignedBytes) }

    struct Admitted: Sendable {
        let account: Account
        let session: Session
        let offer: Offer
        let what: LoginCase
        /// Whether this very transaction claimed the session, and with it spent the request.
        let claimed: Bool
        /// Of a login that wrong numbers ended: whether the account has no more to try.
        var numbersAreUsedUp = false
    }

    /// What a transaction that reads can say of it; nil if there is something to write, which `admit` does. Either way its signatures are verified.
    func look(in rows: any AuthenticationRows) throws -> Admitted? {
        let (account, offered, session) = try checked(in: rows)
        let writes = try !decision.extensions.acknowledged().isEmpty
        if let repeated = try repeated(session) { return writes ? nil : try admitted(account, again: repeated, offered.offer, in: rows) }
        let claimed = try offered.claimed(session)
        // A cache makes ended AppLogins be written down as over.
        guard decision.cache == nil else { return nil }
        let what = try sort(account, offered.offer, session, in: rows)
        if case .numberWrong = what { return nil }
        return writes || claimed != session ? nil : admitted(account, session, offered.offer, what)
    }

    private func checked(in rows: any AuthenticationRows) throws -> (Account, OfferedSession, Session) {
        let account = try rows.living(decision.accountID, at: request.server)
        let offered = try OfferedSession(decision.offer, of: decision.sessionID, for: account.id, request, derivation)
        let session = try offered.session(in: rows)
        guard decision.sessionHash == offered.sessionHash else { throw Refusal.sessionHashWrong }
        try request.verify(message, by: account.deviceKey)
        try account.checkMayLogIn()
        _ = try decision.extensions.namedTokenKey()
        return (account, offered, session)
    }

    /// The key that the login keeps for tokens; an app alone can name one.
    func tokenKey(for session: Session) throws(Refusal) -> TokenKey? {
        session.purpose == .app ? try decision.extensions.namedTokenKey() : nil
    }

    /// - Parameter former: what the first look found, in a second one: if it claimed the session and was kept, that was this call.
    func admit(in rows: any AuthenticationRows, after former: Admitted?) throws -> Admitted {
        let (account, offered, session) = try checked(in: rows)
        try rows.removeNotices(try decision.extensions.acknowledged(), for: account.id)
        let offer = offered.offer
        if let repeated = try repeated(session) { return try admitted(account, again: repeated, offer, in: rows) }
        let claimed = try offered.claimed(session)
        let what = try sort(account, offer, session, in: rows)
        let isNew = session.state == .open || former?.claimed == true
        if isNew {
            try rows.save(claimed)
            try request.spend(in: rows, again: former != nil)
        } else if claimed != session {
            // What the phone said before it went on.
            try rows.save(claimed)
        }
        if case .numberWrong = what {
            if !isNew { try request.spend(in: rows, again: former != nil) }
            let counted = try countWrongNumber(claimed, by: account, in: rows)
            return Admitted(
                account: account, session: counted, offer: offer, what: counted.isFinished ? .repeated(counted) : what, claimed: isNew,
                numbersAreUsedUp: try areNumbersUsedUp(counted, in: rows))
        }
        return Admitted(account: account, session: claimed, offer: offer, what: what, claimed: isNew)
    }

    /// One try less, once for all copies of a decision. The last of the session, and the last of the account, ends the session, and its decision counts as
    /// a no: repeated, it hears the same.
    private func countWrongNumber(_ session: Session, by account: Account, in rows: any AuthenticationRows) throws -> Session {
        let copy = Array(H(.number, decisionHash).prefix(16))
        guard try rows.spend(copy, until: request.now + PhoneRequest.memory) else { return session }
        let budget = try rows.numberBudget(of: account.id, at: request.now).less
        var counted = session
        counted.push?.countWrongNumber()
        if counted.push?.isSpent == true || budget.isSpent {
            counted = try counted.taking(.deny(.init(account: account.id, notMe: false, decision: decisionHash)), at: request.now)
            try rows.record(AuditEntry(.loginNumbersWrong, server: request.server, account: account.id, by: .phone, at: request.now))
        }
        try rows.save(counted)
        return counted
    }

    private func admitted(_ account: Account, again session: Session, _ offer: Offer, in rows: any AuthenticationRows) throws -> Admitted {
        Admitted(
            account: account, session: session, offer: offer, what: .repeated(session), claimed: false,
            numbersAreUsedUp: try areNumbersUsedUp(session, in: rows))
    }

    /// An L5 that accepts is a no by its number alone.
    private func areNumbersUsedUp(_ session: Session, in rows: any AuthenticationRows) throws -> Bool {
        guard case .denied(let denial) = session.state, session.push != nil, decision.decision == .accept else { return false }
        return try rows.numberBudget(of: denial.account, at: request.now).isSpent
    }

    private func admitted(_ account: Account, _ session: Session, _ offer: Offer, _ what: LoginCase) -> Admitted {
        Admitted(account: account, session: session, offer: offer, what: what, claimed: false)
    }

    /// The session, if it stands where this very decision brought it.
    private func repeated(_ session: Session) throws(Refusal) -> Session? {
        switch session.state {
        case .returning(let login, _) where login.account == decision.accountID, .loggedIn(let login) where login.account == decision.accountID:
            guard login.decision == decisionHash else { throw .differentDecision }
            return session
        case .denied(let denial) where denial.account == decision.accountID:
            guard denial.decision == decisionHash else { throw .differentDecision }
            return session
        case .open, .claimed, .returning, .loggedIn, .denied, .expired, .stopped: return nil
        }
    }

    private func sort(_ account: Account, _ offer: Offer, _ session: Session, in rows: any AuthenticationRows) throws -> LoginCase {
        switch decision.decision {
        case .decline, .notMe:
            return .denial(.init(account: account.id, notMe: decision.decision == .notMe, decision: decisionHash))
        case .accept: return try sortAcceptance(account, offer, session, in: rows)
        // A login that is given up is told by L7, and stays.
        case .gaveUp: throw Refusal.methodNotAllowed
        }
    }

    private func sortAcceptance(
        _ account: Account, _ offer: Offer, _ session: Session, in rows: any AuthenticationRows
    ) throws -> LoginCase {
        guard decision.method.isSubset(of: offer.methods) else { throw Refusal.methodNotAllowed }
        if session.push == nil {
            guard decision.number.isEmpty else { throw Refusal.methodNotAllowed }
        } else {
            // Not looked at where the account has had all of its tries: then it is one more.
            guard try !rows.numberBudget(of: account.id, at: request.now).isSpent, derivation.number(of: session.id).isTyped(decision.number)
            else { return .numberWrong }
        }
        guard decision.method.isDisjoint(with: [.pin, .bio]) else {
            guard decision.cache == nil else { throw Refusal.methodNotAllowed }
            return try proof(by: account, in: rows)
        }
        guard decision.secondFactorSignature == nil, decision.biometricSignature == nil, decision.attempt == nil
        else { throw Refusal.methodNotAllowed }
        switch (decision.method, decision.cache) {
        case ([], nil):
            guard offer.secondFactor == .none else { throw Refusal.cacheNotValid }
            return .deviceOnly
        case (.cached, let value?): return .cached(try cache(value, of: account, for: session.request.demand, in: rows))
        default: throw Refusal.methodNotAllowed
        }
    }

    private func cache(
        _ value: [UInt8], of account: Account, for demand: FactorDemand, in rows: any AuthenticationRows
    ) throws -> FactorCache {
        try forgetEndedAppLogins(of: account.id, in: rows, at: request.now)
        let pinTimeout = try rows.existing(request.server).parameters.pinTimeout
        guard let cache = try rows.cache(of: account.id), cache.isOf(value), demand.isMet(by: cache, under: pinTimeout, at: request.now)
        else { throw Refusal.cacheNotValid }
        return cache
    }

    private func proof(by account: Account, in rows: any AuthenticationRows) throws -> LoginCase {
        guard let instance = try rows.instance(of: account) else { throw Refusal.instanceWrong }
        let shown = ShownFactor(
            attempt: decision.attemptID, context: .verify, sessionHash: decision.sessionHash, payload: [], method: decision.method,
            secondFactorSignature: decision.secondFactorSignature, biometricSignature: decision.biometricSignature, ownAttempt: decision.attempt)
        return .proof(try shown.proof(by: account, of: instance, request))
    }
}
