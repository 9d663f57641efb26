import OstiaryProtocol

/// Makes the L2 for one L1, inside a transaction.
struct LoginScreen: Sendable {
    /// AppLogins of one account that may wait at a time: the oldest gives way.
    private static let mostOpenAppLogins = 16

    let request: PhoneRequest
    let keys: ServerKeys
    let prekey: Encoded<Prekey>
    let random: any RandomSource

    func show(_ message: L1, in rows: any AuthenticationRows) throws -> (Reply, Session) {
        let server = try rows.existing(request.server)
        switch (message.link, message.accountID) {
        case (let link?, _): return try showSession(link, via: message.via, server, in: rows)
        case (nil, let account?): return try openAppLogin(account, server, in: rows)
        case (nil, nil): throw Refusal.malformed(.badValue)
        }
    }

    private func showSession(
        _ link: Encoded<LoginLink>, via: Via, _ server: VirtualServer, in rows: any AuthenticationRows
    ) throws -> (Reply, Session) {
        let found = try rows.session(link.value.sessionID)?.settled(at: request.now)
        let rule = LinkRule(
            serverTag: keys.root.tag, linkSecret: keys.derivation.linkSecret(of: link.value.sessionID),
            staticAge: UInt64(server.parameters.staticQRAge), refusesUnboundLinks: server.parameters.flags.contains(.strictLinks),
            hasPage: found?.page != nil)
        let binding = try rule.binding(of: link, via: via, at: request.now)
        guard let session = found, session.server == server.id else { throw Refusal.sessionUnknown }
        guard !session.isFinished, session.approval == nil else { throw Refusal.sessionOver }
        let mayCache = server.parameters.pinTimeout > 0
        return (try offer(session, binding, server, mayCache: mayCache, in: rows), session)
    }

    /// An AppLogin has a session of its own from the moment the app asks (protocol §6).
    private func openAppLogin(_ id: AccountID, _ server: VirtualServer, in rows: any AuthenticationRows) throws -> (Reply, Session) {
        let account = try rows.living(id, at: server.id)
        try account.checkUsable()
        for old in try rows.openAppSessions(of: id).dropLast(Self.mostOpenAppLogins - 1) {
            _ = try SessionStop(reason: .replaced).apply(to: old, in: rows, at: request.now)
        }
        try forgetEndedAppLogins(of: id, in: rows, at: request.now)
        let session = Session(
            id: SessionID(using: random), server: server.id, nonceHash: nil, stream: nil, purpose: .app, preselected: id, startedAt: request.now)
        try rows.save(session)
        let mayCache = try rows.cache(of: id)?.isUsable(under: server.parameters.pinTimeout, at: request.now) ?? false
        return (try offer(session, .app, server, mayCache: mayCache, in: rows), session)
    }

    private func offer(
        _ session: Session, _ binding: Binding, _ server: VirtualServer, mayCache: Bool, in rows: any AuthenticationRows
    ) throws -> Reply {
        let parameters = server.parameters
        let asksNothing = parameters.pinTimeout < 0
        let content = L2(
            sessionID: session.id, purpose: session.purpose, accountID: session.preselected,
            relyingParty: RelyingParty(name: parameters.name, origin: parameters.siteURL, clientID: ""), announceInfo: session.browser.announcements,
            logoHash: session.browser.logoHash ?? parameters.logo?.hash,
            browser: BrowserFacts(binding: binding, label: session.browser.label, city: session.browser.city, startedAt: session.startedAt),
            returnURL: binding == .returnCode ? session.page?.returnURL ?? "" : "",
            secondFactor: asksNothing ? .none : mayCache ? .cacheAllowed : .needed,
            methods: asksNothing ? [] : parameters.methods.union(mayCache ? .cached : []), serverNonce: random.bytes(32), secondFactorPrekey: prekey,
            expiresAt: session.startedAt + Session.openFor)
        let reply = Reply(content)
        try rows.add(
            Offer(
                requestHash: request.opened.hash, session: session.id, ephemeral: request.ephemeral, shown: reply.body, binding: binding,
                madeAt: request.now),
            keeping: Offer.mostPerSession)
        return reply
    }
}

/// Writes down the AppLogins of an account that ran out, so that the PIN cache of one that is over is not used any more.
func forgetEndedAppLogins(of account: AccountID, in rows: any (SessionRows & AccountRows), at now: Instant) throws {
    for session in try rows.unfinishedSessions(of: account) where session.purpose == .app && session.settled(at: now).isFinished {
        _ = try SessionStop(reason: .timeout).apply(to: session, in: rows, at: now)
    }
}
