import OstiaryProtocol

/// What a browser came for.
package enum VisitSubject: Hashable, Sendable {
    /// An authorization request, by the name under which it is kept.
    case request(String)
    /// A device that waits, by the hash of its code.
    case device([UInt8])

    /// By which its row is found.
    package var hash: [UInt8] {
        switch self {
        case .request(let name): SHA(name.utf8)
        case .device(let hash): hash
        }
    }
}

/// A login that goes on.
package struct VisitLogin: Equatable, Sendable {
    package let session: SessionID
    /// When its session began to wait for a phone.
    package let startedAt: Instant
    package let account: AccountID
    /// Whether it was by the code of a phone without a network, which gives less away.
    package let isOffline: Bool

    package init(session: SessionID, startedAt: Instant, account: AccountID, isOffline: Bool = false) {
        self.session = session
        self.startedAt = startedAt
        self.account = account
        self.isOffline = isOffline
    }
}

extension VisitLogin {
    /// Which of a browser's other logins stay beside this one, which is new: those of the same person, whose grants go on, and of them the newest. A browser is
    /// one person's at a time, so all others end.
    /// - Parameters:
    ///   - others: that go on, the newest first.
    ///   - most: how many stay.
    package func staying(among others: [VisitLogin], most: Int) -> [VisitLogin] { Array(others.filter { $0.account == account }.prefix(most)) }
}

/// Who is at the door of a visit.
package struct VisitArrival: Equatable, Sendable {
    /// Nil where nobody is logged in.
    package let login: VisitLogin?
    /// Whether they logged in for it, and not before.
    package let isOwn: Bool

    /// Somebody who logged in for this visit.
    package static func own(_ login: VisitLogin) -> VisitArrival { VisitArrival(login: login, isOwn: true) }

    /// Whoever was logged in before, which may be nobody.
    package static func before(_ login: VisitLogin?) -> VisitArrival { VisitArrival(login: login, isOwn: false) }

    private init(login: VisitLogin?, isOwn: Bool) {
        self.login = login
        self.isOwn = isOwn
    }

    /// A login for a request is one that began after it was kept. What a browser says of itself counts for nothing here, so that no old login is as good
    /// as a new one.
    /// - Parameters:
    ///   - keptAt: when the request was kept, or came.
    ///   - question: that they have just said yes to; nil where they were asked nothing yet.
    func visit(since keptAt: Instant, agreeingTo question: ConsentQuestion? = nil, now: Instant) -> AuthorizeVisit {
        // One of before may be of this very second.
        let askedAt = isOwn ? max(keptAt, login?.startedAt ?? now) : now + 1
        return AuthorizeVisit(askedAt: askedAt, session: login?.session, consented: question?.consented, isConfirmed: question != nil)
    }
}
