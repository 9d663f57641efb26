import OstiaryProtocol

/// A code that a phone without a connection made takes the place of a decision (protocol §9).
extension Session {
    /// Codes that may be tried on one session.
    package static let mostCodes: UInt8 = 3

    /// Whether a code could log somebody in on it: a browser shows it, and it asks for no more than one factor gives.
    var isForCodes: Bool { purpose == .login && push == nil && codeLife == nil && nonceHash != nil }
    var asksMoreThanCodes: Bool { request.demand != .policy }
    var hasCodesLeft: Bool { codesTried < Self.mostCodes }
    /// How many may still be typed, as far as the session says; nil where it is for none.
    package var codesLeft: UInt8? {
        guard isUndecided, isForCodes, !asksMoreThanCodes else { return nil }
        return Self.mostCodes - min(codesTried, Self.mostCodes)
    }

    /// One try more, before anybody looks whether it is right.
    func codeTried() throws(SessionRefusal) -> Session {
        guard isUndecided, isForCodes else { throw .over }
        guard hasCodesLeft else { throw .spent }
        var session = self
        session.codesTried += 1
        return session
    }

    /// The code was right: nobody has to have claimed the session, but nobody else may have.
    func logged(by login: Login, _ codeHash: [UInt8], at now: Instant) throws(SessionRefusal) -> Session {
        switch state {
        case .open: guard request.account == nil || request.account == login.account else { throw .taken }
        case .claimed(let claim): guard claim.account == login.account else { throw .taken }
        case .returning, .loggedIn, .denied, .expired, .stopped: throw .over
        }
        guard isForCodes else { throw .over }
        guard page != nil else { return with(.loggedIn(login)) }
        return with(.returning(login, ReturnTicket(codeHash: codeHash, until: now + Self.returningFor)))
    }
}
