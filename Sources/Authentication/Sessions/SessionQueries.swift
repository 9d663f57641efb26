import OstiaryProtocol

/// What a business backend and the login page ask about sessions.
package struct SessionQueries: Sendable {
    let store: any AuthenticationStore
    let keyring: any ServerKeyring
    let events: any SessionEvents
    let witness: any ClockWitness

    /// - Parameter witness: knows whether it is by the clock that a login has ended which is logged out.
    package init(store: any AuthenticationStore, keyring: any ServerKeyring, events: any SessionEvents, witness: any ClockWitness = NoWitness()) {
        self.store = store
        self.keyring = keyring
        self.events = events
        self.witness = witness
    }

    /// getSession: who is at the door, and are they still there? Any unknown nonce is nobody. One look-up; never waits for the second-factor server.
    /// - Throws: `UnknownServer`, which is looked for only when there is no such session.
    package func status(of nonce: SessionNonce, at server: ServerID, now: Instant) async throws -> LoginStatus {
        guard let view = try await store.view(nonceHash: nonce.hash, of: server) else {
            _ = try await store.read { try $0.existing(server) }
            return .nobody
        }
        if let status = status(of: view, at: now) { return status }
        let session = view.session.settled(at: now)
        return waiting(session, .open, link: try await link(to: session, .still, at: now).bytes)
    }

    /// The same at once, on the thread of whoever asks, as text: nil where ``status(of:at:now:)`` has to find out. What was written of a login stays good until
    /// its deadline, and is nobody's behind it, as ``Session/settled(at:)`` has it: so it is written once, unless it is longer than there is room for.
    /// - Parameter write: writes a status, always in the same way.
    package func textAtOnce(of nonce: SessionNonce, at server: ServerID, now: Instant, write: (LoginStatus) -> [UInt8]) -> [UInt8]? {
        guard let seen = store.viewAtOnce(nonceHash: nonce.hash, of: server) else { return nil }
        return seen.withContent { content in
            switch content {
            case .text(let text, let deadline): return now > deadline ? write(.nobody) : text
            case .rows(let view):
                guard let status = status(of: view, at: now) else { return nil }
                let text = write(status)
                if status.loggedIn, let deadline = status.expiresAt, text.count <= seen.room { content = .text(text, until: deadline) }
                return text
            }
        }
    }

    /// What is said of a session; nil of one whose code has to be drawn, for which keys are needed.
    private func status(of view: SessionView, at now: Instant) -> LoginStatus? {
        let session = view.session.settled(at: now)
        switch session.state {
        case .denied, .expired, .stopped: return .nobody
        // The code of a page is the page's to draw.
        case .open: return session.page == nil ? nil : waiting(session, .open, link: nil)
        case .claimed: return waiting(session, .claimed, link: nil)
        case .returning: return returning(session)
        case .loggedIn(let login): return loggedIn(session, login, view.account)
        }
    }

    /// No user, account, key or text: nobody is logged in.
    func returning(_ session: Session) -> LoginStatus {
        var status = LoginStatus()
        status.state = .returning
        status.hsid = session.stream
        return status
    }

    private func waiting(_ session: Session, _ state: LoginStatus.State, link: [UInt8]?) -> LoginStatus {
        var status = LoginStatus()
        status.state = state
        status.hsid = session.stream
        status.announced = session.request.shown
        status.notes = session.request.notes
        status.loginQRData = link
        return status
    }

    func loggedIn(_ session: Session, _ login: Login, _ account: AccountFacts?) -> LoginStatus {
        guard let account else { return .nobody }
        var status = LoginStatus()
        status.loggedIn = true
        status.state = .loggedIn
        status.userID = account.userID
        status.accountID = account.id
        status.publicKey = account.deviceKey
        status.deviceID = account.instance
        status.hsid = session.stream
        status.userInput = login.userInput
        status.announced = session.request.shown
        status.notes = session.request.notes
        status.loginTime = login.at
        status.authentication = AuthenticationFacts(of: login)
        status.otpLogin = login.isOffline
        status.returned = login.returned != nil
        status.lastPing = login.lastPing
        status.expiresAt = login.deadline
        return status
    }

    /// What a page shows of a nonce, finished sessions included; nil when nothing is known.
    package func progress(of nonce: SessionNonce, at server: ServerID, now: Instant) async throws -> Session? {
        try await store.view(nonceHash: nonce.hash, of: server)?.session.settled(at: now)
    }

    /// Whether somebody is logged in where this event stream is heard.
    package func isLoggedIn(stream: StreamID, at server: ServerID, now: Instant) async throws -> Bool {
        try await store.read { rows in try rows.session(stream: stream, of: server)?.settled(at: now).login != nil }
    }

    /// Whether any session is heard of by this name.
    package func isKnown(stream: StreamID, at server: ServerID) async throws -> Bool {
        try await store.read { rows in try rows.session(stream: stream, of: server) != nil }
    }

    /// The event stream of a nonce.
    package func stream(of nonce: SessionNonce, at server: ServerID) async throws -> StreamID {
        try await keyring.keys(of: server).derivation.stream(nonceHash: nonce.hash)
    }

    /// Throws what keeps this server from beginning anything: its keys are out of reach.
    package func checkKeys(of server: ServerID) async throws { _ = try await keyring.keys(of: server) }

    /// getQrLogin: a link to the open session of a nonce, which is made if there is none. The same session as long as that one waits for a phone.
    /// - Parameters:
    ///   - update: what is asked from now on.
    ///   - actor: who asks.
    /// - Throws: `UnknownServer`, `LoginLinkError`.
    package func loginLink(
        for nonce: SessionNonce, at server: ServerID, style: LinkStyle, asking update: LoginRequestUpdate = LoginRequestUpdate(),
        by actor: AuditActor, now: Instant
    ) async throws -> IssuedLink {
        let keys = try await keyring.keys(of: server)
        let opened = try await store.writeAsReliedOn { rows, former -> SessionOpening.Opened in
            let parameters = try rows.existing(server).parameters
            guard style != .still || parameters.staticQRAge > 0 else { throw LoginLinkError.stillCodesRefused }
            try rows.checkMayBeNamed(update.account, at: server)
            var opened = try SessionOpening(server: server, nonceHash: nonce.hash, derivation: keys.derivation, actor: actor)
                .open(in: rows, asking: update.applied(to:), at: now)
            opened.replaced = opened.replaced ?? former?.replaced
            return opened
        }
        if let replaced = opened.replaced { events.publish(.ended(replaced)) }
        return IssuedLink(link: try await link(to: opened.session, style, at: now), session: opened.session)
    }

    /// A link to a session that waits for a phone. Reads nothing but the keys.
    package func link(to session: Session, _ style: LinkStyle, at now: Instant) async throws -> Encoded<LoginLink> {
        let keys = try await keyring.keys(of: session.server)
        // A session that began before the clock was put back gets codes of the present, too.
        let issued = style == .moving ? min(session.startedAt, now) : now
        return Encoded(
            LoginLink(
                serverTag: keys.root.tag, sessionID: session.id, issuedAt: UInt32(clamping: issued.seconds),
                frame: UInt16(clamping: now.seconds(since: issued)), binding: style.binding, qrSecret: keys.derivation.linkSecret(of: session.id)))
    }

    /// The moving code of a session that waits for a phone, for some seconds ahead. Reads nothing but the keys.
    package func frames(of session: Session, at now: Instant) async throws -> CodeFrames {
        let keys = try await keyring.keys(of: session.server)
        return CodeFrames(
            of: session.id, serverTag: keys.root.tag, issuedAt: min(session.startedAt, now), at: now,
            qrSecret: keys.derivation.linkSecret(of: session.id))
    }
}

extension AccountRows {
    /// Throws unless a login may be for this account alone; nil names none.
    func checkMayBeNamed(_ id: AccountID?, at server: ServerID) throws {
        guard let id else { return }
        guard let account = try account(id), account.server == server else { throw LoginLinkError.accountUnknown }
        guard !account.isHeadless else { throw LoginLinkError.accountHeadless }
    }
}

/// How a login link is shown.
package enum LinkStyle: Sendable {
    /// A QR code with a new frame each second.
    case moving
    /// A QR code that stands still.
    case still
    /// An address to tap on the phone itself.
    case tapped
    /// The same behind the button of a login page: the app opens the browser again with the return code.
    case returning

    var binding: Binding {
        switch self {
        case .moving: .qrDynamic
        case .still: .qrStatic
        case .tapped: .unboundLink
        case .returning: .returnCode
        }
    }
}

package struct IssuedLink: Sendable {
    package let link: Encoded<LoginLink>
    package let session: Session
}
