import Foundation
import OstiaryTokens

/// Tokens that are good now.
extension TokenClient {
    /// Calls an API with a token that is good now, which is renewed before if need be, and calls it once more where it throws ``AccessTokenRefused``: with another
    /// token, or with the nonce that the API asked for.
    ///
    /// Whoever asks while a refresh goes on gets its token: one refresh at a time, for the app and its extensions.
    /// - Parameter body: makes the call. It runs once more for a nonce, and once more for another token.
    /// - Throws: ``TokenError``: `notLoggedIn` and `loginOver` where the person has to log in, `serverConnection` where the provider can't be reached and the login
    ///   goes on; `accessTokenRefused` where the API refuses a new token, too; and what `body` throws.
    public func performWithFreshToken<Value: Sendable>(
        _ body: @Sendable (FreshToken) async throws -> Value
    ) async throws -> Value {
        var token = try await freshToken(insteadOf: nil)
        var (hasNonce, isRenewed) = (false, false)
        while true {
            do { return try await body(token) } catch let refused as AccessTokenRefused {
                if let nonce = refused.nonce, token.kind == .dpop, !hasNonce {
                    (hasNonce, apiNonce) = (true, nonce)
                    token = token.with(nonce: nonce)
                } else if !isRenewed {
                    isRenewed = true
                    token = try await freshToken(insteadOf: token.value)
                } else {
                    throw TokenError.accessTokenRefused
                }
            }
        }
    }

    /// A token that is good now: for callers that can't do their call inside ``performWithFreshToken(_:)``.
    public func freshToken() async throws(TokenError) -> FreshToken { try await freshToken(insteadOf: nil) }

    /// - Parameter refused: a token that an API does not take; one that is stored and another is as good as a new one.
    func freshToken(insteadOf refused: String?) async throws(TokenError) -> FreshToken {
        if let token = try await storedToken(insteadOf: refused) { return token }
        let task =
            renewal
            ?? Task {
                let result = await self.result(insteadOf: refused)
                self.renewal = nil
                return result
            }
        renewal = task
        // Whoever gives up meanwhile ends nothing for the others.
        return try await task.value.get()
    }

    private func result(insteadOf refused: String?) async -> Result<FreshToken, TokenError> {
        do throws(TokenError) { return .success(try await renewed(insteadOf: refused)) } catch { return .failure(error) }
    }

    /// What is stored and good; nil where something has to be done.
    private func storedToken(insteadOf refused: String?) async throws(TokenError) -> FreshToken? {
        if let kept = try kept() {
            guard isFresh(kept.secret), kept.secret.accessToken != refused else { return nil }
            return try freshToken(kept.secret, keyName: kept.login.key)
        }
        if let exchanged = try await currentExchange(), isFresh(exchanged.secret), exchanged.secret.accessToken != refused {
            return try freshToken(exchanged.secret, keyName: exchanged.keyName)
        }
        return nil
    }

    private func renewed(insteadOf refused: String?) async throws(TokenError) -> FreshToken {
        // Of who asked while the last one ended.
        if let token = try await storedToken(insteadOf: refused) { return token }
        guard let kept = try kept() else {
            guard let grant = try await source?.appLogin() else { throw .notLoggedIn }
            return try await exchange(grant)
        }
        guard kept.secret.refreshToken == nil else { return try await refreshed(insteadOf: refused) }
        guard !isFresh(kept.secret) else { throw .accessTokenRefused }
        // It was not meant to last. Whoever is logged in to the app itself may be somebody else: their token is for who asks again, and is told as theirs.
        try await endHere()
        throw .loginOver
    }

    /// In this app's turn, in which nobody else refreshes: and somebody else may have done it just before.
    private func refreshed(insteadOf refused: String?) async throws(TokenError) -> FreshToken {
        let endpoints = try await endpoints()
        let fresh = try await turn.take { () async throws(TokenError) -> TokenVault.Kept? in
            guard let kept = try kept() else { throw .notLoggedIn }
            guard let refreshToken = kept.secret.refreshToken else { throw .loginOver }
            if isFresh(kept.secret), kept.secret.accessToken != refused { return kept }
            return try await refresh(kept, with: refreshToken, at: endpoints)
        }
        await tellEnded()
        if let fresh { return try freshToken(fresh.secret, keyName: fresh.login.key) }
        if let token = try await storedToken(insteadOf: refused) { return token }
        throw try kept() == nil ? TokenError.notLoggedIn : .busy
    }

    /// Asks again while no answer comes: the provider gives the same to who asks twice. What it gave is stored before anything else is done with it.
    ///
    /// A turn can be over before this is, where the app is suspended, or there is no lock: then what others stored stays, and their refresh token is the newest.
    /// - Returns: nil where this login is not the one that is stored any more.
    private func refresh(
        _ kept: TokenVault.Kept, with refreshToken: String, at endpoints: ProviderEndpoints
    ) async throws(TokenError) -> TokenVault.Kept? {
        let vault = try vault()
        let isStored = { @Sendable () throws(TokenError) -> Bool in try vault.document().logins.contains(kept.login) }
        let proof = try proof(ofKey: kept.login.key)
        var form = [
            (name: "grant_type", value: "refresh_token"), (name: "client_id", value: settings.clientID), (name: "refresh_token", value: refreshToken),
        ]
        if let audience = settings.audience { form.append((name: "audience", value: audience)) }
        // Of a bearer login every answer has the next refresh token, and the provider takes the former for ten minutes: no disk is full for that long by chance.
        if proof == nil { try vault.checkRoom() }
        guard let response = try await line.post(form, to: endpoints.token, proof: proof, patience: patience, while: isStored) else { return nil }
        let answer: TokenAnswer
        do throws(TokenError) { answer = try response.token(asked: kept.secret.scope, isBound: proof != nil) } catch {
            guard error == .loginOver else { throw error }
            guard try isStored() else { return nil }
            try vault.forget(kept.login)
            throw error
        }
        var former = kept.login
        if let next = answer.refreshToken, next != refreshToken {
            var rotated = kept.secret
            rotated.refreshToken = next
            guard let stored = try vault.keep(rotated, as: settings.login, key: kept.login.key, renewing: former) else { return nil }
            former = stored
        }
        let profile = try await renewedProfile(of: answer, kept, at: endpoints)
        let secret = kept.secret.renewed(by: answer, obtainedAt: clock.wall, profile: profile)
        guard let stored = try vault.keep(secret, as: settings.login, key: kept.login.key, renewing: former) else { return nil }
        let fresh = TokenVault.Kept(login: stored, secret: secret)
        cached = fresh
        return fresh
    }

    /// Out of an ID token that came with a refresh; nil where there is none. Where its keys cannot be had just now the profile stays as it was: the answer came
    /// from the provider itself, over TLS, and a network that breaks off again must not cost the token.
    private func renewedProfile(
        of answer: TokenAnswer, _ kept: TokenVault.Kept, at endpoints: ProviderEndpoints
    ) async throws(TokenError) -> TokenProfile? {
        do throws(TokenError) {
            return try await profile(of: answer, nonce: nil, subject: kept.secret.profile?.subject, checksTimes: false, at: endpoints)
        } catch {
            guard error == .serverConnection || error == .serverBusy else { throw error }
            return nil
        }
    }
}

extension FreshToken {
    fileprivate func with(nonce: String) -> FreshToken { FreshToken(value: value, kind: kind, scopes: scopes, nonce: nonce, proof: proof) }
}
