import OstiaryProtocol

/// What can happen to a session.
package enum SessionEvent: Equatable, Sendable {
    /// An account showed its device key in an M1 or L5.
    case claim(AccountID, Binding)
    /// An account's phone says what it is at.
    case report(AccountID, PhoneReport)
    /// A decision was accepted after every check, in a session without a page.
    case logIn(Login)
    /// An offline code is about to be compared.
    case tryCode
    /// It was right; of a session with a page, the hash of the code with which its browser comes back.
    case typeCode(Login, codeHash: [UInt8])
    /// The same in a session with a page: its browser has to come back with the code of this hash.
    case approve(Login, codeHash: [UInt8])
    /// The browser that began it came back, and the login lives for so many seconds without an answer of the app.
    case comeBack(patience: UInt64)
    /// The person said no.
    case deny(SessionState.Denial)
    /// The app answered: its own time, and how many seconds the server waits for the next answer; nil for a login that is not watched.
    case ping(stamp: Instant, patience: UInt64?)
    /// Somebody ends it: the phone, the backend, or what happened to the account.
    case stop(StopReason)
}

/// Why a session does not take an event.
package enum SessionRefusal: Error, Equatable, Sendable {
    /// Another account has claimed it.
    case taken
    /// It is finished.
    case over
    /// The event belongs to a later state than this one.
    case early
    /// It has had all of its offline codes.
    case spent
}

extension Session {
    /// Seconds for which a session waits for a phone.
    package static let openFor: UInt64 = 300
    /// Seconds more for the phone that has claimed it.
    package static let claimedFor: UInt64 = 180

    /// Logos that are kept of a session: the newest, and those that phones may have been shown before.
    static let mostLogos = 4

    /// The session as it is at `now`: what ran out since it was stored is over, whether or not anybody has written that down (protocol §8).
    package func settled(at now: Instant) -> Session {
        let session = report?.isOver(at: now) == true ? reporting(nil) : self
        return switch state {
        case .open where now > openUntil: with(.expired)
        case .claimed where now > claimedUntil: with(.expired)
        case .returning(let login, let ticket) where now > ticket.until: with(.stopped(login, .timeout, at: ticket.until))
        case .loggedIn(let login) where now > login.deadline: with(.stopped(login, .timeout, at: login.deadline))
        case .open, .claimed, .returning, .loggedIn, .denied, .expired, .stopped: session
        }
    }

    /// The session after an event. It settles first, so that nothing late revives it; a finished session stays as it is.
    package func after(_ event: SessionEvent, at now: Instant) throws(SessionRefusal) -> Session {
        let session = settled(at: now)
        return switch event {
        case .claim(let account, let binding): try session.claimed(by: account, binding)
        case .report(let account, let report): try session.told(report, by: account)
        case .logIn(let login): try session.loggedIn(login)
        case .tryCode: try session.codeTried()
        case .typeCode(let login, let codeHash): try session.logged(by: login, codeHash, at: now)
        case .approve(let login, let codeHash): try session.approved(login, codeHash, at: now)
        case .comeBack(let patience): try session.cameBack(patience, at: now)
        case .deny(let denial): try session.denied(denial)
        case .ping(let stamp, let patience): try session.pinged(stamp, patience: patience, at: now)
        case .stop(let reason): session.stopped(reason, at: now)
        }
    }

    /// In another state nothing that was said before is of any interest; a claim, too, is news of the phone.
    func with(_ state: SessionState) -> Session {
        var session = self
        session.state = state
        session.report = nil
        return session
    }

    private func reporting(_ report: PhoneReport?) -> Session {
        var session = self
        session.report = report
        return session
    }

    private func told(_ report: PhoneReport, by account: AccountID) throws(SessionRefusal) -> Session {
        switch state {
        case .open:
            guard request.account == nil || request.account == account else { throw .taken }
            return reporting(report)
        case .claimed(let claim):
            guard claim.account == account else { throw .taken }
            return reporting(report)
        case .returning(let login, _), .loggedIn(let login): throw login.account == account ? .over : .taken
        case .denied, .expired, .stopped: throw .over
        }
    }

    private func claimed(by account: AccountID, _ binding: Binding) throws(SessionRefusal) -> Session {
        switch state {
        case .open:
            guard request.account == nil || request.account == account else { throw .taken }
            return with(.claimed(.init(account: account, binding: binding)))
        case .claimed(let claim):
            guard claim.account == account else { throw .taken }
            return with(.claimed(.init(account: account, binding: binding)))
        case .returning(let login, _), .loggedIn(let login): throw login.account == account ? .over : .taken
        case .denied, .expired, .stopped: throw .over
        }
    }

    /// Nobody is logged in on a page's session before its browser came back.
    private func loggedIn(_ login: Login) throws(SessionRefusal) -> Session {
        try checkClaimed(by: login.account)
        guard page == nil else { throw .early }
        return with(.loggedIn(login))
    }

    /// Throws unless this account has claimed the session and nothing is decided yet.
    func checkClaimed(by account: AccountID) throws(SessionRefusal) {
        switch state {
        case .open: throw .early
        case .claimed(let claim): guard claim.account == account else { throw .taken }
        case .returning(let other, _), .loggedIn(let other): throw other.account == account ? .over : .taken
        case .denied, .expired, .stopped: throw .over
        }
    }

    private func denied(_ denial: SessionState.Denial) throws(SessionRefusal) -> Session {
        try checkClaimed(by: denial.account)
        return with(.denied(denial))
    }

    /// A ping that is not newer than the last only reads: it moves no deadline.
    private func pinged(_ stamp: Instant, patience: UInt64?, at now: Instant) throws(SessionRefusal) -> Session {
        switch state {
        case .open, .claimed: throw .early
        case .returning(var login, let ticket):
            // The app is there; the browser still has its two minutes and no more.
            guard stamp > login.lastStamp else { return self }
            login.lastStamp = stamp
            login.lastPing = now
            return with(.returning(login, ticket))
        case .loggedIn(var login):
            guard stamp > login.lastStamp else { return self }
            login.lastStamp = stamp
            login.lastPing = now
            // The phone that made the code is not the one to say how long the login lasts.
            if let patience, !login.isOffline { login.deadline = now + patience }
            return with(.loggedIn(login))
        case .denied, .expired, .stopped: return self
        }
    }

    /// Stopping what is not logged in yet closes it, so that nothing can log it in after the stop was acknowledged.
    private func stopped(_ reason: StopReason, at now: Instant) -> Session {
        switch state {
        case .open, .claimed: with(.expired)
        case .returning(let login, _), .loggedIn(let login): with(.stopped(login, reason, at: now))
        case .denied, .expired, .stopped: self
        }
    }

    /// Whether nothing can happen to it any more.
    package var isFinished: Bool {
        switch state {
        case .open, .claimed, .returning, .loggedIn: false
        case .denied, .expired, .stopped: true
        }
    }

    /// Whether a phone may still decide it.
    package var isUndecided: Bool {
        switch state {
        case .open, .claimed: true
        case .returning, .loggedIn, .denied, .expired, .stopped: false
        }
    }

    /// The login that is going on; nil as well while its browser is awaited.
    package var login: Login? {
        if case .loggedIn(let login) = state { login } else { nil }
    }

    /// The account that has shown itself, whatever became of it.
    package var account: AccountID? {
        switch state {
        case .open, .expired: nil
        case .claimed(let claim): claim.account
        case .denied(let denial): denial.account
        case .returning(let login, _), .loggedIn(let login), .stopped(let login, _, _): login.account
        }
    }
}
