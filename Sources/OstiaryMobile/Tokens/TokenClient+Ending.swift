import Foundation
import OstiaryProtocol
import OstiaryTokens

/// The ends of a login.
extension TokenClient {
    /// Ends the login: at once here, and at the provider, where its refresh token and all access tokens are revoked (RFC 7009). A provider that cannot be reached is
    /// told later, by the next call of this client that reaches it.
    ///
    /// An AppLogin goes on, and is exchanged anew when a token is asked for: end it with `stopAppLogin()`.
    /// - Throws: `serverConnection` and what else keeps the provider from being told now: nobody is logged in here all the same. `storeUnavailable` and `keyStore`
    ///   where that is not so.
    public func revoke() async throws(TokenError) {
        let exchanged = exchanged?.secret.accessToken
        self.exchanged = nil
        try await endHere()
        try await tellAllEnded()
        guard let exchanged, let address = try await endpoints().revocation else { return }
        try await revoke(exchanged, "access_token", at: address)
    }

    /// Ends the login as `revoke()` does, and then the browser's at the provider, so that the next login asks who it is (OpenID Connect RP-Initiated Logout).
    /// - Parameter browser: as for the login.
    /// - Throws: as `revoke()`, and `cancelled` where the person closed the browser, in which they may still be logged in; `settings` without
    ///   ``TokenSettings/postLogoutRedirectURL``, by which the browser comes back; `metadata` where the provider has no such address. The login of this app is over
    ///   in all of these cases.
    public func logOut(in browser: any WebBrowser) async throws(TokenError) {
        try beginVisit()
        defer { isVisiting = false }
        let idToken = try kept()?.secret.idToken
        try await revoke()
        guard let back = settings.postLogoutRedirectURL, back.query == nil, back.fragment == nil else { throw .settings(.redirectURL) }
        guard let endSession = try await endpoints().endSession else { throw .metadata(.endpoint) }
        let visit = try await Self.begin(browser, back)
        let state = Base64URL.encode(random.bytes(16))
        var parameters = [
            (name: "client_id", value: settings.clientID), (name: "post_logout_redirect_uri", value: visit.redirectURL.absoluteString),
            (name: "state", value: state),
        ]
        if let idToken { parameters.append((name: "id_token_hint", value: idToken)) }
        let callback = try await Self.open(try endSession.with(parameters), by: visit)
        let answer = try CallbackParameters(callback, at: visit.redirectURL)
        guard answer["state"].map({ isSame($0, state) }) ?? false else { throw .callback(.state) }
    }

    /// Nobody is logged in here from now on.
    func endHere() async throws(TokenError) {
        guard hasStore else { return }
        let vault = try vault()
        try await turn.take { () async throws(TokenError) in try vault.end(settings.login) }
        cached = nil
    }

    /// Tells the provider what is over, if it can be reached now.
    func tellEnded() async { try? await tellAllEnded() }

    private func tellAllEnded() async throws(TokenError) {
        guard hasStore else { return }
        let vault = try vault()
        let mine = try vault.document().ended.filter { $0.login == settings.login }
        guard !mine.isEmpty else { return }
        let endpoints = try await endpoints()
        // What the provider refuses to hear of one keeps nothing from it about the others.
        var refusal: TokenError?
        for login in mine {
            do throws(TokenError) { try await revoke(login, in: vault, at: endpoints) } catch {
                guard case .refused = error else { throw error }
                refusal = refusal ?? error
                continue
            }
            try await turn.take { () async throws(TokenError) in try vault.forget(login) }
        }
        if let refusal { throw refusal }
    }

    /// One try. A secret that is gone, and a provider without such an address, leave nothing to tell.
    private func revoke(_ login: StoredTokens.Login, in vault: TokenVault, at endpoints: ProviderEndpoints) async throws(TokenError) {
        guard let address = endpoints.revocation else { return }
        let secret: LoginSecret
        do throws(TokenError) { secret = try vault.secret(of: login) } catch {
            guard error == .notLoggedIn else { throw error }
            return
        }
        try await revoke(secret.refreshToken ?? secret.accessToken, secret.refreshToken == nil ? "access_token" : "refresh_token", at: address)
    }

    private func revoke(_ token: String, _ kind: String, at address: URL) async throws(TokenError) {
        let form = [
            (name: "token", value: token), (name: "token_type_hint", value: kind), (name: "client_id", value: settings.clientID),
        ]
        let answer = try await line.postOnce(form, to: address, proof: nil)
        guard answer.status == 200 else { throw answer.refusal }
    }
}
