import OstiaryProtocol
import OstiaryTokens

extension VerifiedCaller {
    /// Of a token whose claims were verified, or told by whoever gave it out.
    /// - Parameter key: the key that was proved along with it.
    init(token claims: JSONObject, by rules: TokenRules, _ evidence: Evidence, key: Thumbprint?) throws(TokenFault) {
        let isPlain = if case .plain = rules.profile { true } else { false }
        // A plain provider's introspection says things its own way, like its tokens.
        let scopeClaim = isPlain && claims["scope"] == nil ? "scp" : "scope"
        let clientClaim = isPlain && claims["client_id"] == nil ? "azp" : "client_id"
        let client = try claims.reading { object throws(ClaimError) in try object.optionalText(clientClaim) }
        // A machine that got a token for itself may be named as the client only (RFC 7662 §2.2). Where there is a person, their token is not the client's.
        let machine = claims["username"] == nil ? client : nil
        guard let subject = try claims.reading({ object throws(ClaimError) in try object.optionalText("sub") }) ?? machine else {
            throw .claimMissing("sub")
        }
        self.init(
            subject: subject, clientID: client, scopes: try claims.words(scopeClaim, orList: isPlain),
            permissions: Set(try claims.list(rules.permissionsClaim)),
            acr: try claims.reading { object throws(ClaimError) in try object.optionalText("acr") }, amr: try claims.list("amr"),
            authTime: try claims.reading { object throws(ClaimError) in try object.optionalMoment("auth_time")?.seconds },
            expiresAt: try claims.reading { object throws(ClaimError) in try object.optionalMoment("exp")?.seconds }, provedBy: evidence,
            keyThumbprint: key?.text, claims: claims.claimValues)
    }
}
