import OstiaryProtocol

/// Opens the next session of a nonce, or finds the one that is open: one open session a nonce (protocol §3).
///
/// A session is a page's or getQrLogin's, never both: each begins the next one where it finds the other's (protocol §6).
struct SessionOpening: Sendable {
    let server: ServerID
    let nonceHash: [UInt8]
    let derivation: SessionDerivation
    /// The page that the session is for; nil for getQrLogin.
    var page: SessionPage?
    /// Whether a phone that is deciding is not waited for.
    var endsClaims = false
    /// Who opens it, and ends what the nonce had before.
    let actor: AuditActor

    /// A session that waits for a phone, and the one of before that ended with it.
    struct Opened: PerhapsReliedOn {
        let session: Session
        var replaced: Session?
        /// On an end somebody relies, and on what is asked from now on in a session that was there. One that begins is only waited for, with the code that is
        /// shown of it: is it gone, so is all that was said of it, and its phone hears that it is unknown.
        var isReliedOn = false
    }

    /// - Parameter asking: the request, from what was asked in the session before; of one that begins, from nothing.
    func open(in rows: any AuthenticationRows, asking: (LoginRequest) -> LoginRequest, at now: Instant) throws -> Opened {
        let pointer = try rows.pointer(nonceHash: nonceHash, of: server)
        guard pointer?.kind != .web else { throw LoginLinkError.webNonce }
        let run = Self.run(after: pointer, at: now)
        // Lost, one that is ahead of the clock would be drawn again, and what was made for the lost session would be good for another.
        let isAhead = run > Self.second(of: now)
        guard let pointer, let stored = try rows.session(pointer.session) else {
            return Opened(session: try begin(in: rows, run: run, asking: asking(LoginRequest()), at: now), isReliedOn: isAhead)
        }
        let current = stored.settled(at: now)
        switch current.state {
        case .open where current.page == nil && page == nil:
            let renewed = try renewed(current, in: rows, asking: asking(current.request))
            return Opened(session: renewed, isReliedOn: renewed != current)
        case .claimed where current.report == nil && !endsClaims: throw LoginLinkError.claimed
        case .loggedIn: throw LoginLinkError.loggedIn
        // A claimed one, too, whose phone said that it does not go on, or whose person does not wait for it: the browser may.
        case .open, .claimed, .returning, .denied, .expired, .stopped:
            let replaced = try SessionStop(reason: .replaced, actor: actor).apply(to: stored, in: rows, at: now)
            // A code that nobody took has ended by itself, whether it is written down or not.
            let hasRunOut = stored.state == .open && current.state == .expired
            return Opened(
                session: try begin(in: rows, run: run, asking: asking(LoginRequest()), at: now), replaced: replaced,
                isReliedOn: isAhead || replaced != nil && !hasRunOut)
        }
    }

    /// A session that is logged in from its first moment: the browser that enrolled a phone. What the nonce had before ends.
    func logIn(_ login: Login, in rows: any AuthenticationRows, at now: Instant) throws -> (session: Session, replaced: Session?) {
        let pointer = try rows.pointer(nonceHash: nonceHash, of: server)
        guard pointer?.kind != .web else { throw LoginLinkError.webNonce }
        let former = try pointer.flatMap { try rows.session($0.session) }
        let replaced = try former.flatMap { try SessionStop(reason: .replaced, actor: actor).apply(to: $0, in: rows, at: now) }
        let session = try begin(in: rows, run: Self.run(after: pointer, at: now), asking: LoginRequest(), at: now, state: .loggedIn(login))
        return (session, replaced)
    }

    /// What is said later takes the place of what was said, for phones that look from now on.
    private func renewed(_ session: Session, in rows: any SessionRows, asking request: LoginRequest) throws -> Session {
        guard request != session.request else { return session }
        var renewed = session
        renewed.request = request
        renewed.asked &+= 1
        try save(renewed, in: rows)
        return renewed
    }

    private func begin(
        in rows: any SessionRows, run: UInt32, asking request: LoginRequest, at now: Instant, state: SessionState = .open
    ) throws -> Session {
        let session = Session(
            id: derivation.sessionID(nonceHash: nonceHash, run: run), server: server, nonceHash: nonceHash,
            stream: derivation.stream(nonceHash: nonceHash), purpose: .login, request: request, startedAt: now, page: page, state: state)
        try save(session, in: rows)
        try rows.save(NoncePointer(server: server, hash: nonceHash, kind: .chosen, session: session.id, run: run))
        return session
    }
}

extension SessionOpening {
    /// The number of the next session: of a nonce never the same twice, also when nothing is known any more of what it had, or an older database is. An offline
    /// code is over the sid, so that one that was made ahead would be good for a session that had it again.
    private static func run(after pointer: NoncePointer?, at now: Instant) -> UInt32 {
        pointer.map { max($0.run &+ 1, second(of: now)) } ?? second(of: now)
    }

    private static func second(of now: Instant) -> UInt32 { UInt32(truncatingIfNeeded: now.seconds) }

    private func save(_ session: Session, in rows: any SessionRows) throws {
        try rows.save(session)
        if let picture = session.request.shown.logo?.picture { try rows.add(picture, to: session.id, keeping: Session.mostLogos) }
    }
}
