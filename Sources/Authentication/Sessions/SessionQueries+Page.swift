import OstiaryProtocol

/// A session for a login page (protocol §6).
extension SessionQueries {
    /// Whether a backend may be given the address of a page under its nonce: in a frame only where the virtual server names sites that may have it, under
    /// no webNonce of an app, since a page is for a browser, for an account that is there and may log in, and not while the keys are out of reach.
    /// - Parameter account: the one that a login is for; nil for any, and for a page that is none of a login.
    /// - Throws: `UnknownServer`, `FramesNotAllowed`, `LoginLinkError.webNonce`, `.accountHeadless`, `AccountError.unknown`.
    package func admitPage(for nonce: SessionNonce, at server: ServerID, isFramed: Bool, account: AccountID?) async throws {
        try await store.read { rows in
            let parameters = try rows.existing(server).parameters
            guard !isFramed || !parameters.frameOrigins.isEmpty else { throw FramesNotAllowed() }
            guard try rows.pointer(nonceHash: nonce.hash, of: server)?.kind != .web else { throw LoginLinkError.webNonce }
            guard let account else { return }
            guard let named = try rows.account(account), named.server == server else { throw AccountError.unknown }
            guard !named.isHeadless else { throw LoginLinkError.accountHeadless }
        }
        try await checkKeys(of: server)
    }

    /// Whether this server drew the link, whatever became of its session.
    package func isGenuine(_ link: Encoded<LoginLink>, at server: ServerID) async throws -> Bool {
        link.isGenuine(qrSecret: try await keyring.keys(of: server).derivation.linkSecret(of: link.value.sessionID))
    }

    /// Begins the next session of a nonce for this page, where the one that goes on makes room for it.
    /// - Throws: `UnknownServer`, `LoginLinkError`.
    package func begin(
        _ page: SessionPage, as beginning: PageBeginning, for nonce: SessionNonce, at server: ServerID,
        asking request: LoginRequest = LoginRequest(), now: Instant
    ) async throws {
        let keys = try await keyring.keys(of: server)
        let opened = try await store.writeAsReliedOn { rows, former -> SessionOpening.Opened in
            // Begun by the first look.
            if let former, try rows.session(former.session.id) == former.session { return former }
            _ = try rows.existing(server)
            try rows.checkMayBeNamed(request.account, at: server)
            if let current = try rows.view(nonceHash: nonce.hash, of: server)?.session.settled(at: now) {
                try beginning.check(current, for: page.cookieHash)
            }
            let opening = SessionOpening(
                server: server, nonceHash: nonce.hash, derivation: keys.derivation, page: page, endsClaims: beginning.endsClaims, actor: .page)
            return try opening.open(in: rows, asking: { _ in request }, at: now)
        }
        if let replaced = opened.replaced { events.publish(.ended(replaced)) }
    }

    /// The code for the page of a session, as long as its browser is awaited; nil for every other page, and after a tapped link, when the app has it.
    package func returnCode(of session: Session, for page: [UInt8]) async throws -> ReturnCode? {
        guard case .returning(let login, _) = session.state, let owner = session.page, matches(owner.cookieHash, page) else { return nil }
        switch login.binding {
        case _ where login.isOffline, .qrDynamic, .qrStatic:
            return try await keyring.keys(of: session.server).derivation
                .returnCode(of: session.id, account: login.account, decision: login.decision)
        case .returnCode, .push, .app, .unboundLink, nil: return nil
        }
    }
}

/// A page is to be opened for a frame, and the virtual server names no site that may have it in one.
package struct FramesNotAllowed: Error, Equatable {}
