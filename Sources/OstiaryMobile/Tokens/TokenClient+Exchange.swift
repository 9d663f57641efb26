import Foundation
import OstiaryTokens

/// An AppLogin for a token, without a browser (RFC 8693): its webNonce, with a proof by the key that it named.
///
/// There is no code verifier (S0-18): the webNonce came to the app from its own SDK. What it gives hangs on the login, so it is never written down.
extension TokenClient {
    func exchange(_ grant: AppLoginGrant) async throws(TokenError) -> FreshToken {
        let endpoints = try await endpoints()
        let answer = try await response(to: grant, at: endpoints).token(asked: settings.scope, isBound: true)
        let former = exchanged.flatMap { $0.session == grant.session ? $0.secret.profile?.subject : nil }
        let profile = try await profile(of: answer, nonce: nil, subject: former, checksTimes: true, at: endpoints)
        // What came too late is of a login that is over, and who asks for somebody who is logged in by now waits for it as well.
        guard try await source?.appLogin()?.session == grant.session else { throw .loginOver }
        let secret = LoginSecret(answer, obtainedAt: clock.wall, profile: profile)
        exchanged = (session: grant.session, secret: secret, keyName: grant.keyName)
        return try freshToken(secret, keyName: grant.keyName)
    }

    /// What the provider answered, byte for byte, for an app that looks into it by itself.
    func rawExchange(_ grant: AppLoginGrant) async throws(TokenError) -> [UInt8] {
        let response = try await response(to: grant, at: try await endpoints())
        // Nothing is handed on that is no token.
        _ = try response.token(asked: settings.scope, isBound: true)
        return response.body
    }

    private func response(to grant: AppLoginGrant, at endpoints: ProviderEndpoints) async throws(TokenError) -> ProviderLine.Answer {
        line.note(ahead: grant.ahead)
        return try await line.post(
            Self.exchangeForm(of: grant, settings), to: endpoints.token, proof: try proof(keyNamed: grant.keyName), patience: patience)
    }

    private static func exchangeForm(of grant: AppLoginGrant, _ settings: TokenSettings) -> [(name: String, value: String)] {
        var form = [
            (name: "grant_type", value: "urn:ietf:params:oauth:grant-type:token-exchange"), (name: "client_id", value: settings.clientID),
            (name: "subject_token", value: grant.webNonce),
            (name: "subject_token_type", value: "urn:ostiary:params:oauth:token-type:web-nonce"), (name: "scope", value: settings.scope),
        ]
        if let audience = settings.audience { form.append((name: "audience", value: audience)) }
        return form
    }
}
