import Authentication
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

    /// The login of one secret, while it goes on.
    func login(of secret: PageSecret, at now: Instant) async throws -> BrowserLogin? {
        guard let session = try await domain.sessions.progress(of: SessionNonce(naming: secret), at: server, now: now), let login = session.login
        else {
            return nil
        }
        return BrowserLogin(secret: secret, session: session.id, startedAt: session.startedAt, account: login.account)
    }

    /// Puts a login of now before those of the same person, whose grants go on. Those of anybody else end, and so does what is one too many.
    mutating func add(_ new: BrowserLogin, at now: Instant) async throws {
        var (kept, ended) = ([new.secret], [PageSecret]())
        for secret in secrets where secret.text != new.secret.text {
            guard let login = try await login(of: secret, at: now) else { continue }
            if login.account == new.account, kept.count < ProviderCookies.mostLogins { kept.append(secret) } else { ended.append(secret) }
        }
        try await end(ended, at: now)
        secrets = kept
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

/// A login that goes on.
struct BrowserLogin: Sendable {
    let secret: PageSecret
    let session: SessionID
    /// When its session began to wait for a phone.
    let startedAt: Instant
    let account: AccountID
}
