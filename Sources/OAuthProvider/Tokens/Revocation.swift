import OstiaryProtocol
import OstiaryTokens

/// The revocation endpoint (RFC 7009): log out this device.
package struct RevocationService: Sendable {
    let context: ProviderContext

    /// Once this returns, the token opens nothing. A refresh token takes its grant along, and with it every access token; an access token goes alone
    /// (§2.1). What is no token of this client is answered the same, and stays what it is (§2.2).
    /// - Throws: `TokenRefusal`, for the client only.
    package func revoke(_ call: TokenCall, at now: Instant) async throws {
        let authenticated = try await context.authenticated(call, at: now)
        let token = ReadToken(try call.parameters.required("token"), authenticated.keys, at: now)
        try await context.write(for: authenticated) { rows, application in
            switch token {
            case .refresh(let token): try rows.revoke(token, of: application, at: now)
            case .jwt(let claims): try rows.revoke(claims, of: application)
            case .text(let hash):
                if let token = try rows.opaqueToken(hash: hash, of: call.server) { try rows.revoke(token.claims, of: application) }
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
