import Authentication
import OstiaryProtocol
import OstiaryTokens

/// The authorization endpoint over the store. Between its two calls a person logs in: with this server's own nonce, page and session.
package struct AuthorizeService: Sendable {
    let context: ProviderContext
    /// Of requests that browsers bring and nobody has gone on with.
    let limit: WaitingLimit

    /// Checks a request as a browser brought it. Nothing is written.
    /// - Parameter askedAt: when the browser brought it first. A page that is loaded again while somebody logs in says when that was, so that a request
    ///   which was sent ahead is not over in the meantime.
    package func check(_ parameters: [Parameter], at server: ServerID, askedAt: Instant) async throws -> AuthorizeOutcome {
        let keys = try await context.keyring.keys(of: server)
        let sent = Parameters(parameters)
        guard let uri = sent["request_uri"] else { return try await check(sent, nil, keys, at: server) }
        guard let hash = PushedRequest.hash(ofURI: uri) else { return try await check(sent, nil, keys, at: server) }
        if let name = sent.repeated { return .page(.parameterRepeated(name)) }
        guard let pushed = try await context.store.read({ rows in try rows.pushedRequest(hash: hash, of: server) }) else {
            return .page(.requestURIUnknown)
        }
        guard askedAt <= pushed.expiresAt else { return .page(.requestURIExpired) }
        guard sent["client_id"] == pushed.client.text else { return .page(.requestURIOfAnother) }
        // What stands beside the request URI counts for nothing (RFC 9126 §4, RFC 9101 §5).
        return try await check(Parameters(pushed.parameters), pushed, keys, at: server)
    }

    func check(_ parameters: Parameters, _ pushed: PushedRequest?, _ keys: TokenKeys, at server: ServerID) async throws -> AuthorizeOutcome {
        let hint = AuthorizeInput.Hint(in: parameters, keys)
        return try await context.store.read { rows in
            let input = try rows.input(parameters, pushed: pushed, hint: hint, at: server)
            let outcome = AuthorizeRules.check(input, issuer: keys.issuer)
            guard case .redirect(let refusal, _) = outcome, let application = input.application,
                try !rows.mayLeadAway(to: application.id, of: server)
            else { return outcome }
            return .page(refusal)
        }
    }

    /// What comes first for a request that a browser has just brought, whose person has not been shown who asks.
    package func begin(_ request: AuthorizationRequest, _ visit: AuthorizeVisit, now: Instant) async throws -> AuthorizeBeginning {
        try await context.store.read { rows in
            let step = request.next(in: try rows.situation(of: request, visit, now: now))
            guard case .refuse(let refusal) = step, try !rows.mayLeadAway(to: request.application.id, of: request.server) else { return .step(step) }
            return .page(refusal)
        }
    }

    /// What comes next for a visit.
    package func next(for request: AuthorizationRequest, _ visit: AuthorizeVisit, now: Instant) async throws -> AuthorizeStep {
        try await context.store.read { rows in request.next(in: try rows.situation(of: request, visit, now: now)) }
    }

    /// A code for a person who is logged in, if nothing more has to happen: one transaction asks again, writes the grant and the code, and remembers
    /// the consent.
    /// - Throws: `AuthorizeStepOpen`, `AuthorizationRequestChanged`; ``AuthorizeRefusal/requestURISpent`` where the client of a kept request has
    ///   its answer by now, which is not for the client to hear.
    package func give(_ request: AuthorizationRequest, _ visit: AuthorizeVisit, now: Instant) async throws -> AuthorizeResponse {
        let issuer = try await context.keyring.keys(of: request.server).issuer
        let code = Base64URL.encode(context.random.bytes(32))
        let id = GrantID(using: context.random)
        return try await context.store.write { rows in
            guard try rows.isAsChecked(request) else { throw AuthorizationRequestChanged() }
            let situation = try rows.situation(of: request, visit, now: now)
            let step = request.next(in: situation)
            guard case .give(let scopes) = step, let session = visit.session, let login = situation.login?.facts else {
                throw AuthorizeStepOpen(step: step)
            }
            try rows.spendPushed(request, for: id)
            if let consented = visit.consented {
                try rows.remember(consented.intersection(scopes.union(request.claims.scopes)), of: login.account, for: request, at: now)
            }
            try rows.begin(request.grant(id, of: login, in: session, scopes: scopes, at: now))
            try rows.save(
                AuthorizationCode(
                    hash: AuthorizationCode.hash(of: code), server: request.server, client: request.application.id, grant: id,
                    redirectURI: request.redirect.presented, challenge: request.challenge, boundKey: request.boundKey,
                    expiresAt: now + AuthorizationCode.life))
            return AuthorizeResponse(to: request.redirect, code: code, state: request.state, issuer: issuer, by: request.mode)
        }
    }
}

/// What comes first for a request.
package enum AuthorizeBeginning: Equatable, Sendable {
    case step(AuthorizeStep)
    /// What the client would hear, as its person is told on a page instead.
    case page(AuthorizeRefusal)
}

/// Something has to happen before there is a code. The page shows it.
package struct AuthorizeStepOpen: Error, Equatable {
    package let step: AuthorizeStep

    package init(step: AuthorizeStep) { self.step = step }
}

/// An operator changed the client or the API since the request was checked: it may be disabled, or the address no longer its own. To be checked again.
package struct AuthorizationRequestChanged: Error, Equatable {
    package init() {}
}

extension AuthorizationRequest {
    /// The refusal as the client hears it.
    package func refused(_ refusal: AuthorizeRefusal, issuer: String) -> AuthorizeResponse {
        AuthorizeResponse(to: redirect, refusal: refusal, state: state, issuer: issuer, by: mode)
    }

    fileprivate func grant(_ id: GrantID, of login: Login, in session: SessionID, scopes: ScopeSet, at now: Instant) -> Grant {
        Grant(
            id: id, server: server, client: application.id, holder: GrantHolder(of: login, in: session, scopes), scopes: scopes, api: api?.identifier,
            authentication: AuthenticationClaims(of: login), nonce: nonce, session: session, createdAt: now, asked: claims)
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

    /// Whether a browser may be sent to a client before its person has seen who that is. Not to one that registered itself: whoever likes could have the
    /// address of this provider lead to theirs (RFC 9700 §4.11.2).
    fileprivate func mayLeadAway(to client: ClientID, of server: ServerID) throws -> Bool { try !isRegistered(client, of: server) }

    fileprivate func situation(of request: AuthorizationRequest, _ visit: AuthorizeVisit, now: Instant) throws -> AuthorizeSituation {
        let api = request.api?.identifier
        guard let facts = try visit.session.flatMap({ try login(of: $0, at: request.server, now: now) }),
            let person = try self.person(of: facts.account, at: request.server)
        else { return AuthorizeSituation(visit: visit, login: nil, permissions: [], consent: nil, now: now) }
        return AuthorizeSituation(
            visit: visit, login: (facts, person),
            permissions: try api.map { try self.permissions(of: facts.account, at: $0, server: request.server) } ?? [],
            consent: try self.consent(of: facts.account, to: request.application.id, for: api, server: request.server), now: now)
    }

    /// Whether client and API are still what the request was checked against, in another transaction.
    fileprivate func isAsChecked(_ request: AuthorizationRequest) throws -> Bool {
        guard try application(request.application.id, of: request.server) == request.application else { return false }
        guard let api = request.api else { return true }
        return try self.api(api.identifier, of: request.server) == api
    }

    /// A request that is kept is over with its code. Run again for the same grant it finds what it did.
    fileprivate func spendPushed(_ request: AuthorizationRequest, for grant: GrantID) throws {
        guard let hash = request.pushedHash else { return }
        guard var pushed = try pushedRequest(hash: hash, of: request.server) else { throw AuthorizeRefusal.requestURIUnknown }
        guard pushed.refusedBy == nil, try !pushed.isSpent || self.grant(grant) != nil else { throw AuthorizeRefusal.requestURISpent }
        pushed.isSpent = true
        try save(pushed)
    }

    fileprivate func remember(_ consented: ScopeSet, of account: AccountID, for request: AuthorizationRequest, at now: Instant) throws {
        let client = request.application.id
        var consent =
            try self.consent(of: account, to: client, for: request.api?.identifier, server: request.server)
            ?? Consent(account: account, client: client, api: request.api?.identifier, scopes: [])
        consent.scopes = consent.scopes.union(consented)
        consent.givenAt = now
        try save(consent, of: request.server)
    }
}
