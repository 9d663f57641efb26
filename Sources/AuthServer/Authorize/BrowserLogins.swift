import Authentication
import OAuthProvider
import OstiaryProtocol

/// The logins that a browser has at the provider of one virtual server. Which of them go on is asked of their sessions, so nothing has to tell a browser
/// that one ended.
struct BrowserLogins: Sendable {
    let domain: AuthenticationServices
    let pages: PageService
    let server: ServerID
    /// The newest first.
    var secrets: [PageSecret]

    /// The newest that goes on.
    func newest(at now: Instant) async throws -> BrowserLogin? {
        for secret in secrets {
            if let login = try await login(of: secret, at: now) { return login }
        }
        return nil
    }

    /// All that go on.
    func going(at now: Instant) async throws -> [BrowserLogin] {
        var going: [BrowserLogin] = []
        for secret in secrets {
            if let login = try await login(of: secret, at: now) { going.append(login) }
        }
        return going
    }

    /// The login of one secret, while it goes on.
    func login(of secret: PageSecret, at now: Instant) async throws -> BrowserLogin? {
        guard let session = try await domain.sessions.progress(of: SessionNonce(naming: secret), at: server, now: now), let login = session.login
        else {
            return nil
        }
        let facts = VisitLogin(session: session.id, startedAt: session.startedAt, account: login.account, isOffline: login.isOffline)
        return BrowserLogin(secret: secret, facts: facts)
    }

    /// Who is at the door of a visit.
    func arrival(of visit: Visit, at now: Instant) async throws -> VisitArrival {
        if let own = try await login(of: visit.secret, at: now) { return .own(own.facts) }
        return .before(try await newest(at: now)?.facts)
    }

    /// Puts a login of now before those that stay beside it, and ends the others.
    mutating func add(_ new: BrowserLogin, at now: Instant) async throws {
        secrets.removeAll { $0.text == new.secret.text }
        let others = try await going(at: now)
        let staying = new.facts.staying(among: others.map(\.facts), most: ProviderCookies.mostLogins - 1)
        try await end(others.filter { !staying.contains($0.facts) }.map(\.secret), at: now)
        secrets = [new.secret] + others.filter { staying.contains($0.facts) }.map(\.secret)
    }

    /// Ends all of them, with whatever their pages have begun.
    mutating func endAll(at now: Instant) async throws {
        try await end(secrets, at: now)
        secrets = []
    }

    private func end(_ ended: [PageSecret], at now: Instant) async throws {
        for secret in ended {
            let nonce = SessionNonce(naming: secret)
            // The pages first: PageService says why.
            try await pages.logOut(nonce, at: server)
            try await domain.sessions.logOut(nonce, at: server, by: .page, now: now)
        }
    }
}

/// A login that goes on, and what names it in the browser.
struct BrowserLogin: Sendable {
    let secret: PageSecret
    let facts: VisitLogin
}
