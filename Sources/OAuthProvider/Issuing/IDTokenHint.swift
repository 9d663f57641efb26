import OstiaryTokens

extension TokenKeys {
    /// What an ID token of ours says that a client sent back (`id_token_hint`), also when it is over (OpenID Connect Core §3.1.2.1, RP-Initiated Logout
    /// §4); nil for anything else.
    func idToken(_ text: String) -> JSONObject? {
        guard let token = try? UnverifiedJWS(compact: text).verified(by: published, as: .idToken), token.claims["iss"]?.string == issuer else {
            return nil
        }
        return token.claims
    }

    /// The person whom an ID token names that this client was given; nil for any other text. One of another client shows only that this one got hold of
    /// it, and would let it ask about people whom it never met.
    func subject(ofHint text: String, from client: String) -> String? {
        guard let claims = idToken(text), let audiences = try? claims.audiences(), audiences.contains(client) else { return nil }
        return claims["sub"]?.string
    }
}
