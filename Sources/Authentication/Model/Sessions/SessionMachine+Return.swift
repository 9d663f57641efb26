import OstiaryProtocol

/// A session with a page ends in the browser that began it (protocol §6).
extension Session {
    /// Seconds for which a session waits for its browser to come back.
    package static let returningFor: UInt64 = 120

    func approved(_ login: Login, _ codeHash: [UInt8], at now: Instant) throws(SessionRefusal) -> Session {
        try checkClaimed(by: login.account)
        guard page != nil else { throw .early }
        return with(.returning(login, ReturnTicket(codeHash: codeHash, until: now + Self.returningFor)))
    }

    func cameBack(_ patience: UInt64, at now: Instant) throws(SessionRefusal) -> Session {
        switch state {
        case .open, .claimed: throw .early
        case .returning(var login, let ticket):
            login.at = now
            login.deadline = now + patience
            login.returned = ticket
            return with(.loggedIn(login))
        case .loggedIn, .denied, .expired, .stopped: throw .over
        }
    }

    /// What was accepted on the phone, whether or not its browser has come back.
    package var approval: Login? {
        switch state {
        case .returning(let login, _), .loggedIn(let login): login
        case .open, .claimed, .denied, .expired, .stopped: nil
        }
    }

    /// Whether it is accepted and waits for its browser.
    package var isReturning: Bool {
        if case .returning = state { true } else { false }
    }

    /// The code's hash and time, while it is awaited and after it was handed in.
    package var returnTicket: ReturnTicket? {
        switch state {
        case .returning(_, let ticket): ticket
        case .loggedIn(let login), .stopped(let login, _, _): login.returned
        case .open, .claimed, .denied, .expired: nil
        }
    }
}
