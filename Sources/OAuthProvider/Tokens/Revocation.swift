import OstiaryProtocol
import OstiaryTokens

/// The revocation endpoint (RFC 7009): log out this device.
package struct RevocationService: Sendable {
    let store: any OAuthStore
    let keyring: any TokenKeyring
    let random: any RandomSource
    let gate: ClientGate

    package init(store: any OAuthStore, keyring: any TokenKeyring, random: any RandomSource, gate: ClientGate) {
        self.store = store
        self.keyring = keyring
        self.random = random
        self.gate = gate
    }

    /// Once this returns, the token opens nothing. A refresh token takes its grant along, and with it every access token; an access token goes alone
    /// (§2.1). What is no token of this client is answered the same, and stays what it is (§2.2).
    /// - Throws: `TokenRefusal`, for the client only.
    package func revoke(_ call: TokenCall, at now: Instant) async throws {
        try call.checkForm()
        let text = try call.parameters.required("token")
        let presented = try call.presentedClient()
        let keys = try await keyring.keys(of: call.server)
        let client = try await gate.client(presented, of: call, keys, at: now)
        let token = ReadToken(text, keys, at: now)
        let redemption = RedemptionID(using: random)
        try await store.write { rows in
            try rows.spend(client, nil, by: redemption)
            switch token {
            case .refresh(let token): try rows.revoke(token, of: client.application, at: now)
            case .jwt(let claims): try rows.revoke(claims, of: client.application)
            case .text(let hash):
                if let token = try rows.opaqueToken(hash: hash, of: call.server) { try rows.revoke(token.claims, of: client.application) }
            }
        }
    }
}

extension OAuthRows {
    /// By any token of the family, however old: whoever logs out means the whole of it.
    fileprivate func revoke(_ token: RefreshToken, of application: Application, at now: Instant) throws {
        guard let family = try family(of: token.grant), family.client == application.id, family.server == application.server else { return }
        try revoke(token.grant, at: now)
    }

    fileprivate func revoke(_ claims: AccessTokenClaims, of application: Application) throws {
        guard claims.clientID == application.id.text else { return }
        try revoke(tokenID: claims.id, of: application.server, until: claims.expiresAt)
    }
}
