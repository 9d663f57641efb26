import OstiaryTokens

/// What a text is that a client sent back as `id_token_hint`.
enum IDTokenHint {
    /// An ID token of ours, with what it says.
    case ours(JSONObject)
    /// It names us, and a key that is not published: one of ours from before the keys were replaced, or anybody's work. Nothing that it says counts.
    case keyGone
    /// No ID token of ours: of another issuer, of another kind, or changed.
    case wrong
}

extension TokenKeys {
    /// What a hint is. An ID token may be over.
    func hint(_ text: String) -> IDTokenHint {
        guard let token = try? UnverifiedJWS(compact: text), token.claimed["iss"]?.string == issuer else { return .wrong }
        do {
            return .ours(try token.verified(by: published, as: .idToken).claims)
        } catch JOSEError.keyUnknown {
            return .keyGone
        } catch {
            return .wrong
        }
    }

    /// What an ID token of ours says that a client sent back (`id_token_hint`), also when it is over (OpenID Connect Core §3.1.2.1, RP-Initiated Logout
    /// §4); nil for anything else.
    func idToken(_ text: String) -> JSONObject? {
        guard case .ours(let claims) = hint(text) else { return nil }
        return claims
    }

    /// The person whom an ID token names that this client was given; nil for any other text. One of another client shows only that this one got hold of
    /// it, and would let it ask about people whom it never met.
    func subject(ofHint text: String, from client: String) -> String? {
        guard let claims = idToken(text), let audiences = try? claims.audiences(), audiences.contains(client) else { return nil }
        return claims["sub"]?.string
    }
}
