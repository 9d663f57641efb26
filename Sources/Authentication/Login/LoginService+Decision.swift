import OstiaryProtocol

extension LoginService {
    /// L5 → L6: the decision is checked, proved where it must be, and committed; then it is told.
    package func decide(_ request: PhoneRequest) async throws -> Reply {
        let message = try decoded(L5.self, from: request)
        let keys = try await keyring.keys(of: request.server)
        let admission = LoginAdmission(message: message, request: request, derivation: keys.derivation)
        let admitted = try await admitted(by: admission)
        if admitted.claimed { events.publish(.about(admitted.session, .claimed)) }
        let outcome: LoginOutcome
        switch admitted.what {
        case .repeated(let session): outcome = try await answerAgain(session, admitted, request)
        case .denial(let denial): outcome = try await deny(denial, admitted, request)
        case .numberWrong: throw Refusal.numberWrong
        case .deviceOnly:
            outcome = try await logIn(Evidence(methods: [], verifiedAt: request.now), admitted, admission, request)
        case .cached(let cache):
            outcome = try await logIn(Evidence(methods: cache.methods, verifiedAt: cache.verifiedAt, cache: cache), admitted, admission, request)
        case .proof(let proof):
            let proved = try await ReceiptRequest(proof: proof, account: admitted.account.id, now: request.now)
                .receipt(from: secondFactor, closing: InstanceClosure(store: store, events: events))
            let evidence = Evidence(methods: proof.method, verifiedAt: proved.verifiedAt(request.now), receipt: proved.receipt)
            do { outcome = try await logIn(evidence, admitted, admission, request) } catch {
                try? await keep(proved.receipt, of: proof.instance)
                throw error
            }
        }
        for news in outcome.news { events.publish(news) }
        return Reply(outcome.answer)
    }

    /// What was proved counts, also where its login came to nothing: should the second-factor server forget the proof, this receipt is all that gives the
    /// try back (docs/decisions/0067).
    private func keep(_ receipt: Encoded<Receipt>, of id: InstanceID) async throws {
        try await store.write { rows in
            guard var instance = try rows.instance(id) else { return }
            instance.keep(receipt)
            try rows.save(instance)
        }
    }

    /// Mostly a question only, because an M1 claimed the session.
    private func admitted(by admission: LoginAdmission) async throws -> LoginAdmission.Admitted {
        if let admitted = try await store.read({ rows in try admission.look(in: rows) }) { return admitted }
        return try await store.write { rows, former in try admission.admit(in: rows, after: former) }
    }

    /// What was proved, and by what.
    struct Evidence: Sendable {
        let methods: Methods
        let verifiedAt: Instant
        var cache: FactorCache?
        var receipt: Encoded<Receipt>?

        /// Wrong tries since the newest receipt of before.
        func failedTries(after last: Encoded<Receipt>?) -> UInt32 {
            guard let receipt = receipt?.value, receipt.sequence > (last?.value.sequence ?? 0) else { return 0 }
            // The right PIN has a number of its own, a biometric has none.
            let own: UInt64 = receipt.method.contains(.pin) ? 1 : 0
            return UInt32(clamping: receipt.sequence - (last?.value.sequence ?? 0) - own)
        }
    }

    private func deny(_ denial: SessionState.Denial, _ admitted: LoginAdmission.Admitted, _ request: PhoneRequest) async throws -> LoginOutcome {
        try await store.write { rows, former in
            let session = try current(admitted.session.id, in: rows)
            if case .denied(denial) = session.state { return LoginOutcome(answer: Self.deniedAnswer, news: former?.news ?? []) }
            let denied = try session.taking(.deny(denial), at: request.now)
            try rows.save(denied)
            if !admitted.claimed { try request.spend(in: rows, again: former != nil) }
            try rows.record(
                AuditEntry(
                    denial.notMe ? .loginDisowned : .loginDenied, server: request.server, account: denial.account, by: .phone, at: request.now))
            return LoginOutcome(answer: Self.deniedAnswer, news: [.ended(denied)])
        }
    }

    /// Moves the session to logged in, if everything that was checked before the second-factor server was asked still holds.
    private func logIn(
        _ evidence: Evidence, _ admitted: LoginAdmission.Admitted, _ admission: LoginAdmission, _ request: PhoneRequest
    ) async throws -> LoginOutcome {
        let minted = MintedValues(using: random)
        let derivation = admission.derivation
        return try await store.write { rows, former in
            let account = try rows.living(admitted.account.id, at: request.server)
            try account.checkMayLogIn()
            let parameters = try rows.existing(request.server).parameters
            let login = Login(
                account: account.id, binding: admitted.offer.binding, at: request.now, methods: evidence.methods, verifiedAt: evidence.verifiedAt,
                decision: admission.decisionHash, userInput: admission.message.value.userInput,
                failedTries: evidence.failedTries(after: try rows.instance(of: account)?.receipt),
                tokenKey: try admission.tokenKey(for: admitted.session),
                deadline: request.now + (parameters.patience ?? ServerParameters.unwatchedLife), lastPing: request.now,
                lastStamp: request.opened.sentAt)
            let session = try current(admitted.session.id, in: rows)
            // Two copies of the same decision may be under way, or this is the second look: the second finds what the first did.
            if session.settled(at: request.now).approval?.decision == login.decision {
                if !admitted.claimed { try request.spend(in: rows, again: former != nil) }
                let answer = try grantAgain(session, account, minted, derivation, in: rows, at: request.now)
                return LoginOutcome(answer: answer, news: former?.news ?? [])
            }
            var accepted = try session.taking(login.acceptance(in: session, derivation), at: request.now)
            try save(account, loggedInAt: accepted.isReturning ? nil : request.now, in: rows)
            try forgetEndedAppLogins(of: account.id, in: rows, at: request.now)
            if let cache = evidence.cache { try use(cache, of: account.id, in: rows) }
            let replaced = try replaceAppLogins(of: account.id, by: accepted, in: rows, at: request.now)
            let answer = try grant(&accepted, login, account, parameters, minted, derivation, in: rows, at: request.now)
            if let receipt = evidence.receipt { try keep(receipt, by: account, in: rows) }
            if !admitted.claimed { try request.spend(in: rows, again: former != nil) }
            try rows.record(
                AuditEntry(.loginAccepted, server: request.server, account: account.id, by: .phone, at: request.now, methods: evidence.methods))
            let news = SessionNews.about(accepted, accepted.isReturning ? .returning : .loggedIn(account.id))
            return LoginOutcome(answer: answer, news: replaced.map { .ended($0) } + [news])
        }
    }

    private func current(_ id: SessionID, in rows: any AuthenticationRows) throws -> Session {
        guard let session = try rows.session(id) else { throw Refusal.sessionUnknown }
        return session
    }

    /// - Parameter now: when it was logged in; nil when it was not yet.
    private func save(_ account: Account, loggedInAt now: Instant?, in rows: any AuthenticationRows) throws {
        var account = account
        // Whatever the login was, the silent one straight after the enrolment is gone.
        account.hasActivationCache = false
        account.lastLogin = now ?? account.lastLogin
        try rows.save(account)
    }

    /// Spends a single-use cache. One that was replaced or deleted meanwhile is no evidence any more.
    private func use(_ cache: FactorCache, of account: AccountID, in rows: any AuthenticationRows) throws {
        guard try rows.cache(of: account) == cache else { throw Refusal.cacheNotValid }
        if cache.isSingleUse { try rows.removeCache(of: account) }
    }

    private func keep(_ receipt: Encoded<Receipt>, by account: Account, in rows: any AuthenticationRows) throws {
        guard var instance = try rows.instance(of: account) else { return }
        instance.keep(receipt)
        try rows.save(instance)
    }

    /// An app has one AppLogin at a time. What takes its place inherits nothing but the proof that its own decision brought.
    private func replaceAppLogins(of account: AccountID, by session: Session, in rows: any AuthenticationRows, at now: Instant) throws -> [Session] {
        guard session.purpose == .app else { return [] }
        let others = try rows.unfinishedAppLogins(of: account).filter { $0.id != session.id }
        return try SessionStop(reason: .replaced, actor: .phone).apply(to: others, in: rows, at: now)
    }

    /// The same decision again: a new webNonce and a new cache take the places of those that may have been lost on the way (protocol §6).
    private func answerAgain(_ repeated: Session, _ admitted: LoginAdmission.Admitted, _ request: PhoneRequest) async throws -> LoginOutcome {
        guard repeated.approval != nil else {
            return LoginOutcome(answer: admitted.numbersAreUsedUp ? Self.usedUpAnswer : Self.deniedAnswer, news: [])
        }
        let minted = MintedValues(using: random)
        let derivation = try await keyring.keys(of: request.server).derivation
        return try await store.write { rows, former in
            let account = try rows.living(admitted.account.id, at: request.server)
            let session = try current(repeated.id, in: rows).settled(at: request.now)
            try request.spend(in: rows, again: former != nil)
            return LoginOutcome(answer: try grantAgain(session, account, minted, derivation, in: rows, at: request.now), news: [])
        }
    }

    private func grantAgain(
        _ session: Session, _ account: Account, _ minted: MintedValues, _ derivation: SessionDerivation, in rows: any AuthenticationRows,
        at now: Instant
    ) throws -> L6 {
        guard let login = session.approval else { throw Refusal.sessionOver }
        var session = session
        let parameters = try rows.existing(session.server).parameters
        // Only the cache that this proof gave is replaced: one that was wiped since does not come back.
        let hasCache = try rows.cache(of: account.id)?.verifiedAt == login.verifiedAt
        return try grant(&session, login, account, parameters, hasCache ? minted : minted.withoutCache, derivation, in: rows, at: now)
    }

    /// Saves the session with the hashes of what the L6 gives, and makes the L6.
    private func grant(
        _ session: inout Session, _ login: Login, _ account: Account, _ parameters: ServerParameters, _ minted: MintedValues,
        _ derivation: SessionDerivation, in rows: any AuthenticationRows, at now: Instant
    ) throws -> L6 {
        let isApp = session.purpose == .app
        let cache = minted.cache.flatMap { login.cache($0, under: parameters.pinTimeout, at: now) }
        if let cache { try rows.save(cache) }
        let former = session.nonceHash
        if isApp { session.nonceHash = Transcript.nonce(minted.webNonce) }
        try rows.save(session)
        if isApp, let hash = session.nonceHash {
            if let former { try rows.removePointer(nonceHash: former, of: session.server) }
            try rows.save(NoncePointer(server: session.server, hash: hash, kind: .web, session: session.id, run: 0))
        }
        return L6(
            result: .loggedIn, sessionID: session.id, pingTime: parameters.pingTime, userName: account.displayName,
            webNonce: isApp ? minted.webNonce : nil, returnCode: login.returnCodeForApp(of: session, derivation)?.exposed,
            cache: cache == nil ? nil : minted.cache,
            flags: (session.isReturning ? LoginFlags.returning : 0) | LoginFlags.offlineCodes(parameters.offlineCodes),
            extensions: try rows.notices(for: account.id, after: []))
    }

    private static var deniedAnswer: L6 { L6(result: .denied, sessionID: nil, pingTime: 0, userName: "") }
    private static var usedUpAnswer: L6 { L6(result: .denied, sessionID: nil, pingTime: 0, userName: "", flags: LoginFlags.numbersUsedUp) }
}

/// What the phone is told, and what others are.
struct LoginOutcome: Sendable {
    let answer: L6
    let news: [SessionNews]
}

/// Fresh bearer values, drawn before the transaction that stores their hashes.
struct MintedValues: Sendable {
    /// 43 characters of base64url.
    let webNonce: String
    private(set) var cache: [UInt8]?

    init(using random: any RandomSource) {
        webNonce = Base64URL.encode(random.bytes(32))
        cache = random.bytes(32)
    }

    var withoutCache: MintedValues {
        var values = self
        values.cache = nil
        return values
    }
}
