import Authentication
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

/// Calls as clients make them.
extension ProviderFixture {
    static let basic = "Basic d2ViOndlYi1zZWNyZXQtd2ViLXNlY3JldC13ZWItc2VjcmV0LXdlYg=="
    static let batchBasic = "Basic YmF0Y2g6YmF0Y2gtc2VjcmV0"

    static func target(_ address: String = tokenEndpoint) throws -> HTTPTarget { try #require(HTTPTarget(address)) }

    func call(
        _ parameters: KeyValuePairs<String, String?>, authorization: [String] = [], proofs: [String] = [], address: String = tokenEndpoint,
        method: String = "POST", contentType: String? = form, asksNonce: Bool = false
    ) throws -> TokenCall {
        TokenCall(
            server: Self.server, method: method, contentType: contentType, parameters: [Parameter]().changed(parameters),
            authorization: authorization,
            proofs: proofs, target: try Self.target(address), asksNonce: asksNonce)
    }

    static let form = "application/x-www-form-urlencoded"

    /// A form as it should come.
    static func post(
        _ parameters: [Parameter], at server: ServerID = ProviderFixture.server, authorization: [String] = [], proofs: [String] = [],
        address: String = tokenEndpoint,
        method: String = "POST"
    ) throws -> TokenCall {
        TokenCall(
            server: server, method: method, contentType: form, parameters: parameters, authorization: authorization, proofs: proofs,
            target: try target(address))
    }

    func answer(_ call: TokenCall) async throws -> TokenResponse { try await services.token.answer(call, at: now) }

    /// What an API hears that asks about a token; with another's credentials what that one hears.
    func facts(of token: String?, by authorization: String = batchBasic) async throws -> TokenFacts {
        try await services.introspection.facts(try call(["token": token], authorization: [authorization]), at: now)
    }

    /// Why there is no token; nil when there is one.
    func refusal(of call: TokenCall) async throws -> TokenRefusal? {
        do { _ = try await answer(call) } catch let refusal as TokenRefusal { return refusal }
        return nil
    }

    /// A proof of possession by the key of this number.
    func proof(
        _ key: UInt8 = 51, id: String? = nil, address: String = tokenEndpoint, method: String = "POST", accessToken: String? = nil,
        nonce: String? = nil
    ) throws -> String {
        let signer = try Self.phoneKey(key)
        var jwk = signer.key.json
        for name in ["use", "alg", "kid"] { jwk[name] = nil }
        let claims = JSONObject([
            "jti": .string(id ?? Base64URL.encode(random.bytes(12))), "htm": .string(method), "htu": .string(address),
            "iat": .integer(Int64(now.seconds)),
            "ath": accessToken.map { .string(Base64URL.encode(SHA($0.utf8))) }, "nonce": nonce.map { .string($0) },
        ])
        return try signer.sign(claims, header: JSONObject(["typ": .string("dpop+jwt"), "alg": .string("ES256"), "jwk": .object(jwk)]))
    }

    static func phoneKey(_ number: UInt8) throws -> LocalSigner { try LocalSigner(.es256, stored: [UInt8](repeating: number, count: 32)) }
}

/// Logins as the phone makes them.
extension ProviderFixture {
    static func login(
        _ account: AccountID = alice, at moment: Instant = start, methods: Methods = .pin, verifiedAt: Instant? = nil, binding: Binding? = .qrDynamic,
        hasReturned: Bool = true, isOffline: Bool = false
    ) -> Login {
        Login(
            account: account, binding: binding, isOffline: isOffline, at: moment, methods: methods, verifiedAt: verifiedAt ?? moment,
            decision: SHA([2]), deadline: moment + 315, lastPing: moment, lastStamp: moment,
            returned: hasReturned ? ReturnTicket(codeHash: SHA([4]), until: moment + 120) : nil)
    }
}

/// Authorization requests as browsers bring them.
extension ProviderFixture {
    /// The session of the browser is this from now on; nil ends it.
    /// What the audit trail says when something of Alice's was used by two at this moment.
    var endedByReuse: AuditEntry { AuditEntry(.grantsEndedByReuse, server: Self.server, account: Self.alice, by: .server, at: now) }

    func logIn(_ login: Login?) { memory.change { $0.sessions[Self.session] = login } }

    func visit(askedAt: Instant? = nil, consented: ScopeSet? = nil, isConfirmed: Bool = false) -> AuthorizeVisit {
        AuthorizeVisit(askedAt: askedAt ?? now, session: Self.session, consented: consented, isConfirmed: isConfirmed)
    }

    static let fullScope = "create:timesheets read:timesheets openid profile email offline_access"

    /// The request of the reference (S3-18 … S3-27); nil takes a parameter out, and a name that it has not is added.
    func authorization(_ changes: KeyValuePairs<String, String?> = [:]) -> [Parameter] {
        var parameters = [
            Parameter("client_id", "mobile"), Parameter("audience", timesheets.text), Parameter("scope", Self.fullScope),
            Parameter("response_type", "code"), Parameter("code_challenge", Self.challenge), Parameter("code_challenge_method", "S256"),
            Parameter("redirect_uri", Self.callback), Parameter("state", "state-1"), Parameter("nonce", "nonce-1"),
        ]
        for (name, value) in changes {
            let index = parameters.firstIndex { $0.name == name }
            if let index { parameters.remove(at: index) }
            if let value { parameters.insert(Parameter(name, value), at: index ?? parameters.count) }
        }
        return parameters
    }

    /// The one for the third party's website.
    func webAuthorization(_ changes: KeyValuePairs<String, String?> = [:]) -> [Parameter] {
        authorization(["client_id": "web", "redirect_uri": "https://reports.example/cb?tenant=1", "scope": "openid read:timesheets"]).changed(changes)
    }

    func outcome(_ parameters: [Parameter]) async throws -> AuthorizeOutcome { try await authorize.check(parameters, at: Self.server, askedAt: now) }

    func request(_ parameters: [Parameter]) async throws -> AuthorizationRequest {
        guard case .request(let request) = try await outcome(parameters) else { throw NotChecked() }
        return request
    }

    struct NotChecked: Error {}

    /// A code, after a login for the request.
    func code(
        _ changes: KeyValuePairs<String, String?> = [:], account: AccountID = alice, consented: ScopeSet? = nil
    ) async throws -> String { try await code(for: authorization(changes), account: account, consented: consented) }

    func code(for parameters: [Parameter], account: AccountID = alice, consented: ScopeSet? = nil) async throws -> String {
        logIn(Self.login(account, at: now))
        let response = try await authorize.give(try await request(parameters), visit(consented: consented, isConfirmed: true), now: now)
        return try #require(Self.parameter("code", of: response.location))
    }

    static func parameter(_ name: String, of location: String) -> String? {
        location.split(separator: "?").last?.split(separator: "&").first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    /// The exchange of the reference (S3-30 … S3-35).
    func exchange(
        _ code: String, _ changes: KeyValuePairs<String, String?> = [:], authorization: [String] = [], proofs: [String] = []
    ) throws -> TokenCall {
        let parameters = [
            Parameter("grant_type", "authorization_code"), Parameter("client_id", "mobile"), Parameter("code_verifier", Self.verifier),
            Parameter("code", code), Parameter("redirect_uri", Self.callback),
        ]
        return try Self.post(parameters.changed(changes), authorization: authorization, proofs: proofs)
    }

    /// Tokens of the mobile app, as the reference gets them.
    func tokens(_ changes: KeyValuePairs<String, String?> = [:], proofs: [String] = []) async throws -> TokenResponse {
        try await answer(try exchange(try await code(changes), proofs: proofs))
    }

    /// An ID token of the third party's website.
    func webIDToken() async throws -> String? { try await webTokens("openid read:timesheets").idToken }

    /// Tokens of the third party's website, for all that it asks.
    func webTokens(_ scope: String, proofs: [String] = []) async throws -> TokenResponse {
        let code = try await code(for: webAuthorization(["scope": scope]), consented: Self.scope(scope))
        let changes: KeyValuePairs<String, String?> = ["client_id": nil, "redirect_uri": "https://reports.example/cb?tenant=1"]
        return try await answer(try exchange(code, changes, authorization: [Self.basic], proofs: proofs))
    }

    func refresh(_ token: String?, client: String = "mobile", scope: String? = nil, proofs: [String] = []) throws -> TokenCall {
        try call(["grant_type": "refresh_token", "client_id": client, "refresh_token": token, "scope": scope], proofs: proofs)
    }

    /// The claims of an access token that is good now, for the API of the reference, and bound to this key or to none.
    func claims(_ token: String, proof: Thumbprint? = nil, audience: String? = nil) throws -> AccessTokenClaims {
        let claims = try AccessTokenClaims(try UnverifiedJWS(compact: token).verified(by: keyring.tokenKeys.published, as: .accessToken).claims)
        #expect(claims.issuer == Self.issuer && claims.audiences.contains(audience ?? timesheets.text))
        #expect(claims.issuedAt <= now && now < claims.expiresAt && claims.boundKey == proof)
        return claims
    }

    /// The claims of an ID token of ours.
    func idClaims(_ token: String?) throws -> JSONObject {
        try UnverifiedJWS(compact: try #require(token)).verified(by: keyring.tokenKeys.published, as: .idToken).claims
    }
}

extension [Parameter] {
    /// With some in place of all of their names, at the end; nil takes one out.
    func changed(_ changes: KeyValuePairs<String, String?>) -> [Parameter] {
        let names = Set(changes.map { $0.key })
        return filter { !names.contains($0.name) } + changes.compactMap { name, value in value.map { Parameter(name, $0) } }
    }
}
