import OstiaryProtocol
import OstiaryTokens

/// The token endpoint (RFC 6749 §3.2): five phases, the same for every way to a token.
///
/// 1. `read`: the form, the client's name and credentials, the parameters of the grant type. Nothing is looked up.
/// 2. `authenticate`: the client is who it says, and may use the grant type.
/// 3. `prove`: the proof of possession is good for this request.
/// 4. `redeem`: one transaction takes assertion and proof, and the grant decides and writes.
///    Where nothing is taken and nothing written, 2 to 4 are one look at the rows (`look`).
/// 5. `sign`: what was decided becomes tokens. An answer that is lost from here on is asked for again by refresh; a code is spent.
package struct TokenEndpoint: Sendable {
    let context: ProviderContext

    /// - Throws: `TokenRefusal`; anything else is a fault of ours.
    package func answer(_ call: TokenCall, at now: Instant) async throws -> TokenResponse {
        let request = try read(call)
        if let seen = try await look(request, call, at: now) { return try await sign(seen, of: call.server) }
        let authenticated = try await authenticate(request, call, at: now)
        let proof = try prove(request, authenticated, at: now)
        return try await sign(try await redeem(request, authenticated, proof, at: now), of: call.server)
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

    private func authenticate(_ request: ReadRequest, _ call: TokenCall, at now: Instant) async throws -> AuthenticatedCall {
        let authenticated = try await context.authenticated(call, as: request.client, at: now)
        try check(request, authenticated)
        return authenticated
    }

    private func check(_ request: ReadRequest, _ call: AuthenticatedCall) throws(TokenRefusal) {
        guard call.application.grantTypes.contains(request.type) else { throw .grantTypeNotAllowed }
    }

    /// - Returns: nil where something has to be taken or written.
    private func look(_ request: ReadRequest, _ call: TokenCall, at now: Instant) async throws -> Decided? {
        guard let grant = request.grant as? any ReadingGrant, request.proof == nil else { return nil }
        let redemption = RedemptionID(using: context.random)
        let minted = MintedValues(for: redemption, using: context.random)
        return try await context.reading(call, as: request.client, named: redemption, at: now) { authenticated, rows in
            try check(request, authenticated)
            let proof = try prove(request, authenticated, at: now)
            let turn = TokenTurn(authenticated, authenticated.application, proof, minted, at: now)
            return try grant.redeem(turn, reading: rows).map { Decided(redemption: $0, keys: authenticated.keys) }
        }
    }

    private func prove(_ request: ReadRequest, _ call: AuthenticatedCall, at now: Instant) throws(TokenRefusal) -> DPoPProof? {
        let isNeeded = call.application.requiresDPoP || request.type == .tokenExchange
        return try call.proof(request.proof, isNeeded: isNeeded, at: now)
    }

    /// What became of a call, and what its tokens are signed with.
    private struct Decided: Sendable {
        let redemption: Redemption
        let keys: TokenKeys
    }

    private func redeem(_ request: ReadRequest, _ call: AuthenticatedCall, _ proof: DPoPProof?, at now: Instant) async throws -> Decided {
        let minted = MintedValues(for: call.redemption, using: context.random)
        let redemption = try await context.write(for: call, with: proof) { rows, application, former in
            try request.grant.redeem(TokenTurn(call, application, proof, minted, former: former, at: now), in: rows)
        }
        return Decided(redemption: redemption, keys: call.keys)
    }

    private func sign(_ decided: Decided, of server: ServerID) async throws -> TokenResponse {
        let issuance =
            switch decided.redemption {
            case .issued(let issuance): issuance
            case .refused(let refusal): throw refusal
            }
        let keys = decided.keys
        let accessToken: String
        switch issuance.accessToken {
        case .opaque(let text): accessToken = text
        case .jwt(let algorithm):
            accessToken = try await context.signer(algorithm, of: server, among: keys).sign(issuance.claims.json, as: .accessToken)
        }
        var idToken: String?
        if let claims = issuance.idToken {
            idToken = try await context.signer(issuance.idTokenAlgorithm, of: server, among: keys).sign(claims.json, as: .idToken)
        }
        return TokenResponse(
            accessToken: accessToken, type: issuance.claims.boundKey == nil ? .bearer : .dpop, life: issuance.life, scopes: issuance.scopes,
            refreshToken: issuance.refreshToken?.text, idToken: idToken, issuedType: issuance.issuedType)
    }
}

extension TokenTurn {
    /// - Parameter application: as it is in this transaction.
    fileprivate init(
        _ call: AuthenticatedCall, _ application: Application, _ proof: DPoPProof?, _ minted: MintedValues, former: Redemption? = nil, at now: Instant
    ) {
        self.init(
            server: application.server, application: application, proof: proof, issuer: call.keys.issuer, derivation: call.keys.derivation,
            minted: minted, former: former, now: now)
    }
}
