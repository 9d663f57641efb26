import OstiaryProtocol

/// What can happen to an enrolment.
package enum EnrolmentEvent: Equatable, Sendable {
    /// E1 with the right secret.
    case claim(Enrolment.Claim)
    /// The person said no, in one of three ways: another phone may have it.
    case decline(Decision)
    /// E3 with a proved second factor: the account is made.
    case finish(Enrolment.Finish)
    /// The right code, or none needed.
    case activate(Enrolment.Activation)
    case wrongCode
    /// The account went away before it was active.
    case delete
}

extension Enrolment {
    /// The enrolment as it is at `now`.
    package func settled(at now: Instant) -> Enrolment {
        switch state {
        case .open where now > expiresAt: with(.failed(.expired, nil))
        case .claimed(let claim) where now > expiresAt, .confirming(let claim, _) where now > expiresAt: with(.failed(.expired, claim))
        case .open, .claimed, .confirming, .active, .failed: self
        }
    }

    /// The enrolment after an event, or why it does not take it. A failed one stays failed.
    package func after(_ event: EnrolmentEvent, at now: Instant) throws(Refusal) -> Enrolment {
        let enrolment = settled(at: now)
        if case .failed(let failure, _) = enrolment.state { throw failure.refusal }
        switch event {
        case .claim(let claim): return try enrolment.claimed(claim)
        case .decline(let decision): return try enrolment.declined(decision)
        case .finish(let finish): return try enrolment.finished(finish, at: now)
        case .activate(let activation): return try enrolment.activated(activation)
        case .wrongCode: return try enrolment.guessed()
        case .delete: return try enrolment.deleted()
        }
    }

    /// What is left of it when its nonce enrols anew. A phone that had read it is told that it came too late. An account that waits for its code is given
    /// up by the person before the page that asks for it, and by nobody else.
    func replaced(by start: EnrolmentStart, at now: Instant) throws(EnrolmentStartError) -> Enrolment {
        let enrolment = settled(at: now)
        if !start.isNewest, enrolment.page != start.page, enrolment.goesOn { throw .otherPage }
        switch enrolment.state {
        case .open: return enrolment.with(.failed(.expired, nil))
        case .claimed(let claim): return enrolment.with(.failed(.expired, claim))
        case .confirming(let claim, _):
            guard !start.isNewest else { throw .confirming }
            return enrolment.with(.failed(.deleted, claim))
        case .active:
            // One page makes one phone somebody's.
            guard start.isNewest else { throw .finished }
            return self
        case .failed(.loggedOut, _), .failed(.blocked, _):
            // Only the site begins one for that nonce again.
            guard start.isNewest else { throw .siteOnly }
            return self
        // Written down as over, if its time ran out and nobody has done so yet: who clears up later must not take it for one that still waits.
        case .failed: return enrolment
        }
    }

    /// What is left of it when another one begins for the account that it was to change.
    func overtaken() -> Enrolment { with(.failed(.expired, claim)) }

    /// The same before a page that was opened while an account waits for its code: that page asks for it from now on. Nil where none waits, or nothing is a
    /// page's.
    func handedOver(to start: EnrolmentStart, at now: Instant) -> Enrolment? {
        guard start.isNewest, let page = start.page, case .confirming = settled(at: now).state else { return nil }
        var enrolment = self
        enrolment.page = page
        return enrolment
    }

    /// What is left of it when its nonce is logged out: nothing that logs the nonce in. Also of one that is over, which a page would begin anew; nil where
    /// it was logged out before, or did what it was for.
    func loggedOut() -> Enrolment? {
        switch state {
        case .open: with(.failed(.loggedOut, nil))
        case .claimed(let claim), .confirming(let claim, _): with(.failed(.loggedOut, claim))
        case .failed(.loggedOut, _), .active: nil
        case .failed(_, let claim): with(.failed(.loggedOut, claim))
        }
    }

    /// The enrolment as it is at `now`, where more is known than its row says.
    /// - Parameter isBlocked: whether the account that waits for its code is blocked: when its time is over, no page begins anew what its site has stopped.
    func settled(at now: Instant, isBlocked: Bool) -> Enrolment {
        let enrolment = settled(at: now)
        guard isBlocked, case .confirming = state, case .failed(.expired, let claim) = enrolment.state else { return enrolment }
        return enrolment.with(.failed(.blocked, claim))
    }

    private var goesOn: Bool {
        switch state {
        case .open, .claimed, .confirming: true
        case .active, .failed: false
        }
    }

    private func with(_ state: State) -> Enrolment {
        var enrolment = self
        enrolment.state = state
        enrolment.givenBack = nil
        return enrolment
    }

    /// The same phone may ask again, and keeps its account; another comes too late.
    private func claimed(_ claim: Claim) throws(Refusal) -> Enrolment {
        switch state {
        case .open: return with(.claimed(claim))
        case .claimed(let first):
            guard first.deviceKey == claim.deviceKey, first.account == claim.account else { throw .enrolmentUsed }
            return with(.claimed(claim))
        case .confirming, .active, .failed: throw .enrolmentUsed
        }
    }

    private func declined(_ decision: Decision) throws(Refusal) -> Enrolment {
        guard case .claimed = state else { throw .enrolmentUsed }
        var enrolment = with(.open)
        enrolment.givenBack = decision
        return enrolment
    }

    private func finished(_ finish: Finish, at now: Instant) throws(Refusal) -> Enrolment {
        guard case .claimed(let claim) = state else { throw .enrolmentUsed }
        var enrolment = with(.confirming(claim, finish))
        enrolment.expiresAt = now + Self.life
        return enrolment
    }

    private func activated(_ activation: Activation) throws(Refusal) -> Enrolment {
        guard case .confirming(let claim, let finish) = state else { throw .enrolmentUsed }
        return with(.active(claim, finish, activation))
    }

    private func guessed() throws(Refusal) -> Enrolment {
        guard case .confirming(let claim, _) = state else { throw .enrolmentUsed }
        var enrolment = self
        enrolment.wrongCodes += 1
        return enrolment.wrongCodes < Self.mostWrongCodes ? enrolment : enrolment.with(.failed(.wrongCodes, claim))
    }

    private func deleted() throws(Refusal) -> Enrolment {
        guard case .confirming(let claim, _) = state else { throw .enrolmentUsed }
        return with(.failed(.deleted, claim))
    }

    /// What the page may know.
    package var progress: EnrolmentProgress {
        switch state {
        case .open: givenBack.map(EnrolmentProgress.givenBack) ?? .waitingForPhone
        case .claimed(let claim): .phoneScanned(device: claim.device)
        case .confirming(let claim, _): .waitingForCode(device: claim.device, triesLeft: Self.mostWrongCodes - wrongCodes)
        case .active(let claim, _, _) where purpose == .headless: .headlessAdded(account: claim.account)
        case .active(let claim, _, _): .activated(account: claim.account)
        case .failed(let failure, _): .failed(failure)
        }
    }
}

/// How far an enrolment is, for the page that started it. The code is never among it: it comes from the phone.
package enum EnrolmentProgress: Equatable, Sendable {
    case waitingForPhone
    /// A phone had it and gave it back; another may take it.
    case givenBack(Decision)
    case phoneScanned(device: String)
    case waitingForCode(device: String, triesLeft: UInt8)
    case activated(account: AccountID)
    /// An account without a second factor is there, and nobody is logged in.
    case headlessAdded(account: AccountID)
    case failed(Enrolment.Failure)
}
