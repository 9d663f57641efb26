import Authentication
import OstiaryProtocol
import OstiaryTokens

/// The authorization endpoint over the store. Between its two calls a person logs in: with this server's own nonce, page and session.
package struct AuthorizeService: Sendable {
    let store: any OAuthStore
    let keyring: any TokenKeyring
    let random: any RandomSource

    package init(store: any OAuthStore, keyring: any TokenKeyring, random: any RandomSource) {
        self.store = store
        self.keyring = keyring
        self.random = random
    }

    /// Checks a request as a browser brought it. Nothing is written: a flood of requests fills no table.
    package func check(_ parameters: [Parameter], at server: ServerID, now: Instant) async throws -> AuthorizeOutcome {
        let keys = try await keyring.keys(of: server)
        let sent = Parameters(parameters)
        guard let uri = sent["request_uri"] else { return try await check(sent, nil, keys, at: server) }
        guard let hash = PushedRequest.hash(ofURI: uri) else { return try await check(sent, nil, keys, at: server) }
        guard let pushed = try await store.read({ rows in try rows.pushedRequest(hash: hash, of: server) }) else { return .page(.requestURIUnknown) }
        guard now <= pushed.expiresAt else { return .page(.requestURIExpired) }
        guard sent["client_id"] == pushed.client.text else { return .page(.requestURIOfAnother) }
        // What stands beside the request URI counts for nothing (RFC 9126 §4, RFC 9101 §5).
        return try await check(Parameters(pushed.parameters), pushed, keys, at: server)
    }

    private func check(_ parameters: Parameters, _ pushed: PushedRequest?, _ keys: TokenKeys, at server: ServerID) async throws -> AuthorizeOutcome {
        let hint = Self.hint(parameters["id_token_hint"], keys)
        return try await store.read { rows in
            AuthorizeRules.check(try rows.input(parameters, pushed: pushed, hint: hint, at: server), issuer: keys.issuer)
        }
    }

    /// An ID token of ours names its subject also when it is over (OpenID Connect Core §3.1.2.1).
    static func hint(_ text: String?, _ keys: TokenKeys) -> AuthorizeInput.Hint {
        guard let text else { return .none }
        guard let token = try? UnverifiedJWS(compact: text).verified(by: keys.published, as: .idToken), token.claims["iss"]?.string == keys.issuer,
            let subject = token.claims["sub"]?.string
        else { return .wrong }
        return .subject(subject)
    }

    /// What comes next for the browser that has this session, or none.
    /// - Parameter consented: what its person let the client do just now; nil if they were not asked.
    package func next(
        for request: AuthorizationRequest, askedAt: Instant, login: Login?, consented: ScopeSet?, isConfirmed: Bool, now: Instant
    ) async throws -> AuthorizeStep {
        try await store.read { rows in
            try rows.step(for: request, askedAt: askedAt, login: login, consented: consented, isConfirmed: isConfirmed, now: now)
        }
    }

    /// A code for a person who logged in, if nothing more has to happen: one transaction asks again, writes the grant and the code, and remembers the
    /// consent.
    package func give(
        _ request: AuthorizationRequest, askedAt: Instant, login: Login, session: SessionID, consented: ScopeSet?, isConfirmed: Bool, now: Instant
    ) async throws -> AuthorizeResponse {
        let issuer = try await keyring.keys(of: request.server).issuer
        let code = Base64URL.encode(random.bytes(32))
        let id = GrantID(using: random)
        return try await store.write { rows in
            let step = try rows.step(for: request, askedAt: askedAt, login: login, consented: consented, isConfirmed: isConfirmed, now: now)
            guard case .give(let scopes) = step else { throw AuthorizeStepOpen(step: step) }
            if let refusal = try rows.spendPushed(request, for: id) { return request.refused(refusal, issuer: issuer) }
            if let consented { try rows.remember(consented, of: login.account, for: request) }
            let holder: GrantHolder = scopes.contains(.offlineAccess) ? .device(login.account) : .session(session, login.account)
            try rows.save(
                Grant(
                    id: id, server: request.server, client: request.application.id, holder: holder, scopes: scopes, api: request.api?.identifier,
                    authentication: AuthenticationClaims(of: login), nonce: request.nonce, session: session, createdAt: now))
            try rows.save(
                AuthorizationCode(
                    hash: AuthorizationCode.hash(of: code), server: request.server, client: request.application.id, grant: id,
                    redirectURI: request.redirect.presented, challenge: request.challenge, boundKey: request.boundKey,
                    expiresAt: now + AuthorizationCode.life))
            return AuthorizeResponse(to: request.redirect, code: code, state: request.state, issuer: issuer)
        }
    }
}

/// Something has to happen before there is a code. The page shows it.
package struct AuthorizeStepOpen: Error, Equatable {
    package let step: AuthorizeStep

    package init(step: AuthorizeStep) { self.step = step }
}

extension AuthorizationRequest {
    /// The refusal as the client hears it.
    package func refused(_ refusal: AuthorizeRefusal, issuer: String) -> AuthorizeResponse {
        AuthorizeResponse(to: redirect, refusal: refusal, state: state, issuer: issuer)
    }
}

extension OAuthRows {
    func input(
        _ parameters: Parameters, pushed: PushedRequest? = nil, proofKey: Thumbprint? = nil, hint: AuthorizeInput.Hint, isBeingPushed: Bool = false,
        at server: ServerID
    ) throws -> AuthorizeInput {
        let application = try parameters["client_id"].flatMap { ClientID($0) }.flatMap { try self.application($0, of: server) }
        // More than one target is refused by its rule; which of them is looked up makes no difference.
        let api = try (parameters["audience"] ?? parameters["resource"]).flatMap { APIIdentifier($0) }.flatMap { try self.api($0, of: server) }
        return AuthorizeInput(
            server: server, parameters: parameters, application: application, api: api, pushed: pushed, proofKey: proofKey, hint: hint,
            isBeingPushed: isBeingPushed)
    }

    fileprivate func step(
        for request: AuthorizationRequest, askedAt: Instant, login: Login?, consented: ScopeSet?, isConfirmed: Bool, now: Instant
    ) throws -> AuthorizeStep {
        let api = request.api?.identifier
        let person = try login.flatMap { try self.person(of: $0.account, at: request.server) }
        let permissions = try login.flatMap { login in
            try api.map { try self.permissions(of: login.account, at: $0, server: request.server) }
        }
        let consent = try login.flatMap { try self.consent(of: $0.account, to: request.application.id, for: api, server: request.server) }
        return request.next(
            in: AuthorizeSituation(
                askedAt: askedAt, login: login, person: person, permissions: permissions ?? [], consent: consent, consented: consented,
                isConfirmed: isConfirmed, now: now))
    }

    /// A request that was sent ahead is over with its code. Run again for the same grant it finds what it did.
    fileprivate func spendPushed(_ request: AuthorizationRequest, for grant: GrantID) throws -> AuthorizeRefusal? {
        guard let hash = request.pushedHash else { return nil }
        guard var pushed = try pushedRequest(hash: hash, of: request.server) else { return .requestURIUnknown }
        guard try !pushed.isSpent || self.grant(grant) != nil else { return .requestURISpent }
        pushed.isSpent = true
        try save(pushed)
        return nil
    }

    fileprivate func remember(_ consented: ScopeSet, of account: AccountID, for request: AuthorizationRequest) throws {
        let client = request.application.id
        var consent =
            try self.consent(of: account, to: client, for: request.api?.identifier, server: request.server)
            ?? Consent(account: account, client: client, api: request.api?.identifier, scopes: [])
        consent.scopes = consent.scopes.union(consented)
        try save(consent, of: request.server)
    }
}
