import Authentication
import OstiaryProtocol
import OstiaryTokens

/// `urn:ietf:params:oauth:grant-type:token-exchange` (RFC 8693): the webNonce of an AppLogin for an access token.
///
/// There is no code verifier (S0-18): the webNonce came to the app from its own SDK, and no other app could catch it on the way. What a leaked
/// webNonce lacks is the phone's key, which signed for the login and has to sign here.
package struct ExchangeGrant: TokenGrant {
    package static let type = GrantType.tokenExchange

    package static let webNonceType = "urn:ostiary:params:oauth:token-type:web-nonce"
    package static let accessTokenType = "urn:ietf:params:oauth:token-type:access_token"

    private let webNonceHash: [UInt8]
    private let target: APIIdentifier?
    private let scopes: ScopeSet?

    package init(_ parameters: Parameters) throws(TokenRefusal) {
        let nonce = try parameters.required("subject_token")
        guard try parameters.required("subject_token_type") == Self.webNonceType else { throw .subjectTokenTypeWrong }
        guard parameters["requested_token_type"].map({ $0 == Self.accessTokenType }) ?? true else { throw .requestedTypeWrong }
        guard parameters["actor_token"] == nil, parameters["actor_token_type"] == nil else { throw .actorNotSupported }
        webNonceHash = Transcript.nonce(nonce)
        target = try parameters.target()
        scopes = try parameters.scopes()
    }

    package func redeem(_ turn: TokenTurn, in rows: any OAuthRows) throws -> Redemption {
        guard let proof = turn.proof else { return .refused(.proof(.missing)) }
        guard let app = try rows.appSession(webNonceHash: webNonceHash, of: turn.server, at: turn.now) else { return .refused(.subjectTokenUnknown) }
        // The same word as for a webNonce that nobody knows: a thief does not learn that it would be good.
        guard app.tokenKey == proof.thumbprint else { return .refused(.subjectTokenUnknown) }
        let api = try target.flatMap { try rows.api($0, for: turn.application) }
        guard target == nil || api != nil else { return .refused(.targetUnknown) }
        let asked = (scopes ?? api?.allScopes ?? [.openID]).subtracting([.offlineAccess])
        let rule = ScopeRule(application: turn.application, api: api)
        let allowed = rule.allowed(of: asked)
        guard !allowed.isEmpty else { return .refused(.nothingGranted) }
        let consent = rule.needsConsent ? try consent(of: app, turn, in: rows) : nil
        let consented = rule.needsConsent ? allowed.intersection(consent?.scopes ?? []) : allowed
        guard !consented.isEmpty else { return .refused(.consentMissing) }
        let grant = grant(for: app, scopes: consented, by: consent, turn)
        try rows.begin(grant)
        guard let standing = try rows.standing(grant.id, at: turn.now) else { return .refused(.grantOver) }
        let redemption = try turn.issue(on: standing, scopes: consented, in: rows)
        guard case .issued(var issuance) = redemption else { return redemption }
        issuance.issuedType = Self.accessTokenType
        return .issued(issuance)
    }

    /// What the person let the client do before. An exchange has nowhere to ask them, and the login on the phone was the app's own.
    private func consent(of app: AppSession, _ turn: TokenTurn, in rows: any OAuthRows) throws -> Consent? {
        try rows.consent(of: app.login.account, to: turn.application.id, for: target, server: turn.server)
    }

    /// One for each session, client, API and scope, however often the app asks: an app that asks each five minutes leaves one row. A yes that the person
    /// said anew begins another: what was ended before it stays so, and what they let the app do since is not ended with it.
    private func grant(for app: AppSession, scopes: ScopeSet, by consent: Consent?, _ turn: TokenTurn) -> Grant {
        var name = ByteWriter()
        name.raw(Array("oauth/exchange".utf8) + [0])
        name.raw(app.session.bytes)
        for part in [turn.application.id.text, target?.text ?? "", scopes.text] { name.v16(Array(part.utf8)) }
        // What was agreed to before moments were written down has the name that it had.
        if let consent, consent.givenAt > Instant(0) { name.instant(consent.givenAt) }
        return Grant(
            id: GrantID(hash: SHA(name.bytes)), server: turn.server, client: turn.application.id, holder: .session(app.session, app.login.account),
            scopes: scopes, api: target, authentication: AuthenticationClaims(of: app.login), nonce: nil, session: app.session, createdAt: turn.now)
    }
}
