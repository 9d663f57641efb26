import OstiaryProtocol
import OstiaryTokens

/// The token endpoint (RFC 6749 §3.2): five phases, the same for every way to a token.
///
/// 1. `read`: the form, the client's name and credentials, the parameters of the grant type. Nothing is looked up.
/// 2. `authenticate`: the client is who it says, and may use the grant type.
/// 3. `prove`: the proof of possession is good for this request.
/// 4. `redeem`: one transaction takes assertion and proof, and the grant decides and writes.
/// 5. `sign`: what was decided becomes tokens. An answer that is lost from here on is asked for again by refresh; a code is spent.
package struct TokenEndpoint: Sendable {
    let store: any OAuthStore
    let keyring: any TokenKeyring
    let random: any RandomSource
    let gate: ClientGate
    let hook: any AccessTokenHook

    package init(
        store: any OAuthStore, keyring: any TokenKeyring, random: any RandomSource, gate: ClientGate, hook: any AccessTokenHook = NoAccessTokenHook()
    ) {
        self.store = store
        self.keyring = keyring
        self.random = random
        self.gate = gate
        self.hook = hook
    }

    /// - Throws: `TokenRefusal`; anything else is a fault of ours.
    package func answer(_ call: TokenCall, at now: Instant) async throws -> TokenResponse {
        let request = try read(call)
        let keys = try await keyring.keys(of: call.server)
        let client = try await authenticate(request, call, keys, at: now)
        let proof = try prove(request, call, client, keys, at: now)
        let issuance = try await redeem(request, call, client, proof, keys, at: now)
        return try await sign(issuance, keys)
    }

    private struct ReadRequest: Sendable {
        let client: PresentedClient
        let proof: UnverifiedDPoPProof?
        let grant: any TokenGrant
        var type: GrantType { Swift.type(of: grant).type }
    }

    private func read(_ call: TokenCall) throws(TokenRefusal) -> ReadRequest {
        try call.checkForm()
        let client = try call.presentedClient()
        return ReadRequest(client: client, proof: try call.presentedProof(), grant: try TokenGrants.read(call.parameters))
    }

    private func authenticate(_ request: ReadRequest, _ call: TokenCall, _ keys: TokenKeys, at now: Instant) async throws -> AuthenticatedClient {
        let client = try await gate.client(request.client, of: call, keys, at: now)
        guard client.application.grantTypes.contains(request.type) else { throw TokenRefusal.grantTypeNotAllowed }
        return client
    }

    private func prove(
        _ request: ReadRequest, _ call: TokenCall, _ client: AuthenticatedClient, _ keys: TokenKeys, at now: Instant
    ) throws(TokenRefusal) -> DPoPProof? {
        let isNeeded = client.application.requiresDPoP || request.type == .tokenExchange
        return try gate.proof(request.proof, of: call, isNeeded: isNeeded, keys, at: now)
    }

    private func redeem(
        _ request: ReadRequest, _ call: TokenCall, _ client: AuthenticatedClient, _ proof: DPoPProof?, _ keys: TokenKeys, at now: Instant
    ) async throws -> Issuance {
        let minted = MintedValues(using: random)
        let redemption = try await store.write { rows -> Redemption in
            try rows.spend(client, proof, by: minted.redemption)
            let turn = TokenTurn(
                server: call.server, application: try rows.current(client), proof: proof, issuer: keys.issuer, derivation: keys.derivation,
                minted: minted, now: now)
            return try request.grant.redeem(turn, in: rows)
        }
        switch redemption {
        case .issued(let issuance): return issuance
        case .refused(let refusal): throw refusal
        }
    }

    private func sign(_ issuance: Issuance, _ keys: TokenKeys) async throws -> TokenResponse {
        let accessToken: String
        switch issuance.accessToken {
        case .opaque(let text): accessToken = text
        case .jwt(let algorithm):
            var claims = issuance.claims
            claims.custom = try await hook.claims(for: claims)
            accessToken = try keys.signer(algorithm).sign(claims.json, as: .accessToken)
        }
        return TokenResponse(
            accessToken: accessToken, type: issuance.claims.boundKey == nil ? .bearer : .dpop, life: issuance.life, scopes: issuance.scopes,
            refreshToken: issuance.refreshToken?.text,
            idToken: try issuance.idToken.map { try keys.signer(issuance.idTokenAlgorithm).sign($0.json, as: .idToken) },
            issuedType: issuance.issuedType)
    }
}

/// What an operator's own rules add to access tokens.
package protocol AccessTokenHook: Sendable {
    /// Claims that are added; names that mean something in a token already are dropped.
    func claims(for token: AccessTokenClaims) async throws -> JSONObject
}

package struct NoAccessTokenHook: AccessTokenHook {
    package init() {}
    package func claims(for token: AccessTokenClaims) async throws -> JSONObject { JSONObject() }
}
