import OstiaryProtocol

/// Makes the L2 for one L1, inside a transaction that only reads: an L1 leaves nothing behind (protocol §4).
struct LoginQuestion: Sendable {
    let message: Encoded<L1>
    let request: PhoneRequest
    let keys: ServerKeys
    let prekey: Encoded<Prekey>
    /// 32 fresh bytes.
    let serverNonce: [UInt8]

    /// The L2, and the session that it shows.
    func show(in rows: any AuthenticationRows) throws -> (Reply, Session) {
        let server = try rows.existing(request.server)
        switch (message.value.link, message.value.accountID) {
        case (let link?, _): return try showSession(link, server, in: rows)
        case (nil, let account?): return try showAppLogin(account, server, in: rows)
        case (nil, nil): throw Refusal.malformed(.badValue)
        }
    }

    private func showSession(_ link: Encoded<LoginLink>, _ server: VirtualServer, in rows: any AuthenticationRows) throws -> (Reply, Session) {
        let found = try rows.session(link.value.sessionID)?.settled(at: request.now)
        let rule = LinkRule(
            serverTag: keys.root.tag, linkSecret: keys.derivation.linkSecret(of: link.value.sessionID),
            staticAge: UInt64(server.parameters.staticQRAge), refusesUnboundLinks: server.parameters.flags.contains(.strictLinks),
            hasPage: found?.page != nil,
            // Of what is not there any more the phone hears so.
            isPushed: found.map { $0.push != nil } ?? (link.value.binding == .push))
        let binding = try rule.binding(of: link, via: message.value.via, at: request.now)
        guard let session = found, session.server == server.id else { throw Refusal.sessionUnknown }
        switch session.state {
        case .claimed where session.push != nil, .open:
            return (reply(session, binding, server, mayCache: session.request.demand.allowsCache(under: server.parameters.pinTimeout)), session)
        case .claimed: throw Refusal.sessionTaken
        case .returning, .loggedIn, .denied, .expired, .stopped: throw Refusal.sessionOver
        }
    }

    /// An AppLogin is shown to the device key of its account; its session has no row before that key claims it (protocol §6).
    private func showAppLogin(_ id: AccountID, _ server: VirtualServer, in rows: any AuthenticationRows) throws -> (Reply, Session) {
        let account = try rows.living(id, at: server.id)
        try request.verify(message, by: account.deviceKey, freshness: request.opened.freshness)
        try account.checkMayLogIn()
        let session = Session(
            id: keys.derivation.appSession(of: id, requestHash: request.opened.hash), server: server.id, nonceHash: nil, stream: nil,
            purpose: .app, request: LoginRequest(account: id), startedAt: request.now)
        return (reply(session, .app, server, mayCache: try mayCache(session, account, server, in: rows)), session)
    }

    private func mayCache(_ session: Session, _ account: Account, _ server: VirtualServer, in rows: any AuthenticationRows) throws -> Bool {
        guard let cache = try rows.cache(of: account.id),
            session.request.demand.isMet(by: cache, under: server.parameters.pinTimeout, at: request.now)
        else { return false }
        return try endedAppLogins(of: account.id, in: rows, at: request.now).isEmpty
    }

    private func reply(_ session: Session, _ binding: Binding, _ server: VirtualServer, mayCache: Bool) -> Reply {
        let parameters = server.parameters
        let (asks, shown) = (session.request, session.request.shown)
        let asked = AskedFactor(asks.demand, under: parameters, mayCache: mayCache)
        let content = L2(
            sessionID: session.id, purpose: session.purpose, account: asks.account, relyingParty: asks.relyingParty(at: parameters),
            announceInfo: shown.info, logoHash: shown.logo?.hash ?? parameters.logo?.hash,
            browser: BrowserFacts(binding: binding, label: shown.userAgent, city: shown.ip, startedAt: session.startedAt),
            needsNumber: session.push != nil, returnURL: binding == .returnCode ? session.page?.returnURL ?? "" : "", secondFactor: asked.need,
            methods: asked.methods,
            serverNonce: serverNonce, secondFactorPrekey: prekey,
            flags: shown.logo == nil && parameters.logo != nil ? L2.ownLogo : 0, expiresAt: session.openUntil)
        let offered = Encoded(content) { shownHash in
            keys.derivation.offer(asked, by: binding, of: session, for: request, shownHash: shownHash)
        }
        return Reply(body: offered.bytes)
    }
}

/// AppLogins of an account that ran out and are not written down as over.
private func endedAppLogins(of account: AccountID, in rows: any SessionRows, at now: Instant) throws -> [Session] {
    try rows.unfinishedAppLogins(of: account).filter { $0.settled(at: now).isFinished }
}

/// Writes them down, so that the cache of one that is over is not used any more.
func forgetEndedAppLogins(of account: AccountID, in rows: any (SessionRows & AccountRows & AuditRows), at now: Instant) throws {
    let ended = try endedAppLogins(of: account, in: rows, at: now)
    _ = try SessionStop(reason: .timeout, actor: .server).apply(to: ended, in: rows, at: now)
}
