import OstiaryProtocol

/// News of a session, an account or an enrolment for those who wait. It only shortens the wait: whoever misses one finds the same in the store.
package struct SessionNews: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// CONFIRMSCAN: a phone shows the session to its person.
        case scanned
        /// An account has shown its device key: the session is its own, and no other phone is awaited.
        case claimed
        /// Accepted on the phone; the browser has to come back. No event of browsers: nobody is logged in.
        case returning
        /// A phone said what it is at.
        case phoneState
        /// LOGIN.
        case loggedIn(AccountID)
        /// LOGOUT.
        case loggedOut(StopReason)
        /// CANCEL: the person said no, or the browser that began did not come back.
        case cancelled(notMe: Bool)
        case expired
        case enrolment(EnrolmentProgress)
        /// Something about the account changed: look again.
        case accountChanged
        /// News may have got lost between two nodes: look again. It is about everything, and goes to everybody who waits.
        case missed
    }

    package let kind: Kind
    package let topics: [EventTopic]

    package init(_ kind: Kind, topics: [EventTopic]) {
        self.kind = kind
        self.topics = topics
    }

    static func accountChanged(_ account: AccountID) -> SessionNews { SessionNews(.accountChanged, topics: [.account(account)]) }

    /// Something waits for an account: for the pings of its sessions.
    static func waiting(for sessions: [Session]) -> SessionNews { SessionNews(.accountChanged, topics: sessions.map { .session($0.id) }) }

    static func about(_ session: Session, _ kind: Kind) -> SessionNews {
        var topics: [EventTopic] = [.session(session.id)]
        if let stream = session.stream { topics.append(.stream(stream)) }
        return SessionNews(kind, topics: topics)
    }

    /// What a session that has just ended tells.
    static func ended(_ session: Session) -> SessionNews {
        switch session.state {
        // Nobody was logged in, so nobody is logged out.
        case .stopped(let login, _, _) where session.page != nil && login.returned == nil: about(session, .cancelled(notMe: false))
        case .stopped(_, let reason, _): about(session, .loggedOut(reason))
        case .denied(let denial): about(session, .cancelled(notMe: denial.notMe))
        case .open, .claimed, .returning, .loggedIn, .expired: about(session, .expired)
        }
    }
}

/// What one can wait for.
package enum EventTopic: Hashable, Sendable {
    /// A phone waits for news of its session.
    case session(SessionID)
    /// A browser waits for news of its nonce.
    case stream(StreamID)
    /// A phone waits for its account to be confirmed.
    case account(AccountID)
}

/// Hands news to those who wait for it. May lose any of it.
package protocol SessionEvents: Sendable {
    func publish(_ news: SessionNews)
    /// News from now on. Subscribe first, then look into the store, then wait.
    func subscribe(to topics: [EventTopic]) -> AsyncStream<SessionNews>
}
