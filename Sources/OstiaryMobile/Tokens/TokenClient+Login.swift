import Foundation
import OstiaryTokens

/// The login in a browser: a code with PKCE (RFC 8252, RFC 7636), and its exchange.
extension TokenClient {
    /// Sends the person to the provider in the system's browser, and keeps what they come back with. Who was logged in before is logged out once somebody else is
    /// in.
    /// - Parameters:
    ///   - browser: the system's, such as one over `ASWebAuthenticationSession`.
    ///   - asksAnew: whether the person logs in anew even where the browser knows them.
    /// - Returns: who it is, and what the person let the app do.
    /// - Throws: `cancelled` and `denied` for a person who did not want to; `codeSpent` where the last answer was lost: begin anew; `callback`, `idToken` and
    ///   `metadata` for what is not the provider's; what the stores and the provider refuse.
    @discardableResult
    public func logIn(in browser: any WebBrowser, asksAnew: Bool = false) async throws(TokenError) -> TokenCredentials {
        try beginVisit()
        defer { isVisiting = false }
        try settings.check()
        let redirectURL = try settings.checkedRedirectURL()
        let vault = try vault()
        let endpoints = try await endpoints()
        let key = try await draftKey(in: vault)
        do throws(TokenError) {
            let proof = try proof(ofKey: key)
            let visit = try await Self.begin(browser, redirectURL)
            let request = AuthorizationVisit(redirectURL: visit.redirectURL, using: random)
            let address = try request.address(settings, at: endpoints, boundKey: proof?.thumbprint, prompt: asksAnew ? "login" : nil)
            let callback = try await Self.open(address, by: visit)
            let code = try request.code(in: callback, from: settings, at: endpoints)
            let answer = try await redeem(code, request, at: endpoints, proof: proof)
            let profile = try await profile(of: answer, nonce: request.nonce, subject: nil, checksTimes: true, at: endpoints)
            if settings.scopes.contains("openid"), profile == nil { throw .idToken(.missing) }
            let secret = LoginSecret(answer, obtainedAt: clock.wall, profile: profile)
            try await turn.take { () async throws(TokenError) in
                guard try vault.keep(secret, as: settings.login, key: key, renewing: nil) != nil else { throw .busy }
            }
            await tellEnded()
            return TokenCredentials(secret)
        } catch {
            if let key { try? await turn.take { () async throws(TokenError) in try vault.discardDraft(key) } }
            throw error
        }
    }

    func beginVisit() throws(TokenError) {
        guard !isVisiting else { throw .inProgress }
        isVisiting = true
    }

    /// The key that the tokens will be bound to; nil where they are not.
    private func draftKey(in vault: TokenVault) async throws(TokenError) -> String? {
        let now = clock.wall
        return try await turn.take { () async throws(TokenError) in
            try vault.dropOldDrafts(at: now)
            return settings.bindsToDevice ? try vault.draftKey(at: now) : nil
        }
    }

    static func begin(_ browser: any WebBrowser, _ redirectURL: URL) async throws(TokenError) -> any BrowserVisit {
        do { return try await browser.visit(redirectURL: redirectURL) } catch { throw TokenError(error) }
    }

    static func open(_ address: URL, by visit: any BrowserVisit) async throws(TokenError) -> URL {
        do { return try await visit.open(address) } catch { throw TokenError(error) }
    }

    /// The code goes out once: a second time it would look stolen, and end what it gave.
    private func redeem(
        _ code: String, _ request: AuthorizationVisit, at endpoints: ProviderEndpoints, proof: DeviceProof?
    ) async throws(TokenError) -> TokenAnswer {
        let form = [
            (name: "grant_type", value: "authorization_code"), (name: "client_id", value: settings.clientID), (name: "code", value: code),
            (name: "redirect_uri", value: request.redirectURL.absoluteString), (name: "code_verifier", value: request.verifier.sent),
        ]
        let answer: ProviderLine.Answer
        do { answer = try await line.postOnce(form, to: endpoints.token, proof: proof) } catch {
            throw error == .serverConnection || error == .serverBusy ? .codeSpent : error
        }
        // To the provider a code that was spent and one that nobody knows are the same.
        guard answer.error != "invalid_grant" else { throw .codeSpent }
        return try answer.token(asked: settings.scope, isBound: proof != nil)
    }

    /// Who the ID token of an answer is of; nil where there is none.
    func profile(
        of answer: TokenAnswer, nonce: String?, subject: String?, checksTimes: Bool, at endpoints: ProviderEndpoints
    ) async throws(TokenError) -> TokenProfile? {
        guard let text = answer.idToken else { return nil }
        let check = IDTokenCheck(
            issuer: settings.issuer, clientID: settings.clientID, algorithms: endpoints.algorithms, nonce: nonce, accessToken: answer.accessToken,
            subject: subject, checksTimes: checksTimes)
        let header = try check.header(of: text)
        let keys = try await keySet(for: header, at: endpoints)
        do throws(TokenError) { return try check.profile(text, by: keys, at: now) } catch {
            // A provider may have put another key under the same name since these were fetched.
            guard error == .idToken(.signature), let newer = try? await keySet(for: header, otherThan: keys, at: endpoints) else { throw error }
            return try check.profile(text, by: newer, at: now)
        }
    }
}

extension TokenError {
    init(_ error: BrowserError) {
        self =
            switch error {
            case .cancelled: .cancelled
            case .unavailable: .browserUnavailable
            }
    }
}
