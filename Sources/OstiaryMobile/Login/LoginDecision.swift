import OstiaryProtocol

/// The phone's signed answer to a login (L5) and the server's outcome of it (L6), protocol §6.
extension Engine {
    /// Approves by the least that the server asks for: nothing, what it remembers, or a second factor now.
    func approve(
        _ id: Session.ID, _ question: Question, as account: StoredAccount, _ answer: LoginAnswer
    ) async throws(OstiaryError) -> L6 {
        switch question.shown.secondFactor {
        case .none:
            switch try await decide(id, question, as: account, answer) {
            case .done(let outcome): return outcome
            case .declined(.secondFactorNeeded): break
            case .declined(let status): throw status == .busy ? .secondFactorUnavailable : OstiaryError(status)
            }
        case .cacheAllowed:
            if let cache = remembered(id, question, of: account) {
                if cache.isSingleUse { caches[account.id] = nil }
                let outcome = try await decide(id, question, as: account, answer, cache: cache.token)
                if case .done(let outcome) = outcome { return outcome }
                caches[account.id] = nil
            }
        case .needed: break
        }
        return try await verify(id, question, as: account, answer)
    }

    /// Whether the person will be asked for a second factor.
    func asksForSecondFactor(_ id: Session.ID, _ question: Question, of account: StoredAccount) -> Bool {
        switch question.shown.secondFactor {
        case .none: false
        case .needed: true
        case .cacheAllowed: remembered(id, question, of: account) == nil
        }
    }

    /// What the server remembers of the last second factor, where it may be used.
    private func remembered(_ id: Session.ID, _ question: Question, of account: StoredAccount) -> FactorCache? {
        let isLoggedInToApp = live.contains { $0.shown.isAppLogin && ($0.shown.isLoggedIn || $0.shown.id == id) }
        guard isLoggedInToApp || !configuration.alwaysRequireSecondFactorIfInactiveAppLogin, question.shown.methods.contains(.cached) else {
            return nil
        }
        return caches[account.id]
    }

    /// Asks for the second factor, and decides with what it proves.
    private func verify(
        _ id: Session.ID, _ question: Question, as account: StoredAccount, _ answer: LoginAnswer
    ) async throws(OstiaryError) -> L6 {
        guard let instance = try known().instance(account.instance) else { throw .secondFactorUnknown }
        let challenge = FactorChallenge(
            context: .verify, session: id, account: account.id, keyName: account.keyName, instance: instance,
            binding: .session(question.sessionHash(account.id), question.shown.sessionID, question.shown.offer), payload: [],
            rootHash: question.rootHash, ephemeral: question.ephemeral,
            prekey: try await secondFactorPrekey(
                question.shown.secondFactorPrekey, at: question.rootHash, pinned: instance.secondFactorRootHash, for: id),
            acceptsBiometrics: question.shown.methods.contains(.bio))
        let asked = OpenQuestion(challenge)
        return try await closing(asked) { () async throws(OstiaryError) in
            try await verify(asked) { proof throws(OstiaryError) in
                try await decide(id, question, as: account, answer, proof: proof)
            }
        }
    }

    /// Sends the decision, and asks for another number and sends it again while the number was wrong. What was proved before stays good: the server looks at
    /// the number first (protocol §6).
    private func decide(
        _ id: Session.ID, _ question: Question, as account: StoredAccount, _ answer: LoginAnswer, proof: FactorProof? = nil,
        cache: SecretBytes? = nil
    ) async throws(OstiaryError) -> Delivered<L6> {
        var answer = answer
        while true {
            let outcome = try await send(answer, id, question, as: account, proof: proof, cache: cache)
            guard case .declined(.numberWrong) = outcome else { return outcome }
            answer = try await askForNumber(id, question, as: account)
        }
    }

    /// After a number that was wrong.
    private func askForNumber(_ id: Session.ID, _ question: Question, as account: StoredAccount) async throws(OstiaryError) -> LoginAnswer {
        change(id) { $0.shown.wrongNumbers += 1 }
        guard let session = session(id)?.shown, session.wrongNumbers < LoginNumber.mostWrong else { throw .numberWrong }
        emit(.error(.numberWrong, session: session))
        return try await confirmLogin(id, question, [account]).1
    }

    /// Sends the decision until its outcome is known. A repeat with the same content gets the first outcome.
    private func send(
        _ answer: LoginAnswer, _ id: Session.ID, _ question: Question, as account: StoredAccount, proof: FactorProof?, cache: SecretBytes?
    ) async throws(OstiaryError) -> Delivered<L6> {
        try checkNotAborted()
        let message = yes(answer, question, as: account, proof, cache)
        // From here on the server may count the session as logged in, whatever we hear of it, and whether this process hears it at all.
        try noteYes(id)
        let report = flow?.report
        flow?.onAbort = { engine, _ in
            let stamp = engine.now(at: question.rootHash)
            await engine.tellServer(ClosedLogin(session: question.shown.sessionID, account: account, lastStamp: stamp))
        }
        flow?.report = nil
        var line = question.line(of: account, session: id, waitsOutBusy: true)
        line.isInOrder = true
        let delivered = try await send(yes: message, by: line, of: id, asksNumber: question.shown.needsNumber)
        guard case .done(let reply) = delivered else {
            // Nobody was logged in by it, and another decision may follow.
            flow?.onAbort = { engine, abort in await engine.refuse(question, as: account, abort) }
            flow?.report = report
            return delivered.map(\.value)
        }
        let outcome = reply.value
        guard outcome.result == .loggedIn else { throw numberFailed(id, question, outcome) }
        try checkNotAborted()
        if let token = outcome.cache {
            caches[account.id] = FactorCache(token: SecretBytes(token), isSingleUse: false)
        } else if !message.method.isDisjoint(with: [.pin, .bio]) {
            caches[account.id] = nil
        }
        return .done(outcome)
    }

    /// The decision, with what it is proved by.
    private func yes(
        _ answer: LoginAnswer, _ question: Question, as account: StoredAccount, _ proof: FactorProof?, _ cache: SecretBytes?
    ) -> L5 {
        L5(
            sessionID: question.shown.sessionID, sessionHash: question.sessionHash(account.id), accountID: account.id,
            attemptID: proof?.attempt ?? AttemptID(using: random), decision: .accept, method: proof?.method ?? (cache == nil ? [] : .cached),
            secondFactorSignature: proof?.secondFactorSignature, biometricSignature: proof?.biometricSignature, attempt: proof?.biometricAttempt,
            cache: cache?.exposed, number: answer.number, userInput: answer.userInput,
            extensions: Extensions(shownNotices: question.acknowledged(by: account.id), tokenKey: question.tokenKey), offer: question.shown.offer)
    }

    /// The third number was wrong, or the last of the day: the server has ended the login, so that nothing of this yes is left to find out or to stop.
    private func numberFailed(_ id: Session.ID, _ question: Question, _ outcome: L6) -> OstiaryError {
        guard question.shown.needsNumber else { return .serverAnswer }
        flow?.onAbort = nil
        noteRefusal(.numberWrong, of: id)
        change(id) { $0.shown.wrongNumbers += 1 }
        return outcome.saysNumbersAreUsedUp ? .numbersUsedUp : .numberWrong
    }

    /// An answer that rules the login out lets go of what was written down of it.
    private func send(yes: L5, by line: ServerLine, of id: Session.ID, asksNumber: Bool) async throws(OstiaryError) -> Delivered<Reply<L6>> {
        do throws(OstiaryError) {
            let isDeclined = { (status: Status) in status == .numberWrong ? asksNumber : yes.method.isDeclined(by: status) }
            let answer = try await line.ask(yes, for: L6.self, declining: isDeclined, by: self)
            if case .declined(let status) = answer { noteRefusal(OstiaryError(status), of: id) }
            return answer
        } catch {
            noteRefusal(error, of: id)
            throw error
        }
    }

    /// What the server hears of a login that stops before its decision: a signed denial if the person denied it, else nothing.
    func refuse(_ question: Question, as account: StoredAccount, _ abort: Flow.Abort?) async {
        guard case .denied(let notMe)? = abort else { return }
        do throws(OstiaryError) {
            do throws(OstiaryError) {
                try await deny(question, as: account, notMe: notMe)
            } catch {
                guard error == .questionChanged else { throw error }
                // Whatever it asks by now: the person said no.
                try await deny(try await look(at: question.source, for: nil, at: question.rootHash), as: account, notMe: notMe)
            }
        } catch {
            emit(.error(error, session: nil))
        }
    }

    private func deny(_ question: Question, as account: StoredAccount, notMe: Bool) async throws(OstiaryError) {
        let message = L5(
            sessionID: question.shown.sessionID, sessionHash: question.sessionHash(account.id), accountID: account.id,
            attemptID: AttemptID(using: random), decision: notMe ? .notMe : .decline, method: [], offer: question.shown.offer)
        try await question.line(of: account, patience: 15).tell(message, by: self)
    }
}
