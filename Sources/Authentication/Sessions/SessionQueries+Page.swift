import OstiaryProtocol

/// A session for a login page (protocol §6).
extension SessionQueries {
    /// Begins the next session of a nonce for this page. What waited for a phone or for its browser ends; what a phone is deciding, and a login,
    /// are left alone.
    /// - Parameters:
    ///   - isNewest: whether the page was opened just now. An older one takes nothing from a page that waits.
    ///   - context: what phones are shown.
    ///   - account: the one that may log in.
    /// - Throws: `UnknownServer`, `LoginLinkError`.
    package func begin(
        _ page: SessionPage, isNewest: Bool, for nonce: SessionNonce, at server: ServerID, context: UserContext? = nil,
        preselecting account: AccountID? = nil, now: Instant
    ) async throws {
        let keys = try await keyring.keys(of: server)
        let opened = try await store.write { rows in
            _ = try rows.existing(server)
            if let account, try rows.account(account)?.server != server { throw LoginLinkError.accountUnknown }
            if !isNewest, let current = try rows.view(nonceHash: nonce.hash, of: server)?.session.settled(at: now), !current.isFinished,
                current.page?.cookieHash != page.cookieHash
            {
                throw LoginLinkError.otherPage
            }
            return try SessionOpening(server: server, nonceHash: nonce.hash, derivation: keys.derivation, page: page)
                .open(in: rows, saying: context, preselecting: account, at: now)
        }
        if let replaced = opened.replaced { events.publish(.ended(replaced)) }
    }

    /// The code for the page of a session, as long as its browser is awaited; nil for every other page, and after a tapped link, when the app has it.
    package func returnCode(of session: Session, for page: [UInt8]) async throws -> ReturnCode? {
        guard case .returning(let login, _) = session.state, let owner = session.page, matches(owner.cookieHash, page) else { return nil }
        switch login.binding {
        case .qrDynamic, .qrStatic:
            return try await keyring.keys(of: session.server).derivation
                .returnCode(of: session.id, account: login.account, decision: login.decision)
        case .returnCode, .push, .app, .unboundLink, nil: return nil
        }
    }
}
