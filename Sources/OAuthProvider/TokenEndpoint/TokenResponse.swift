import OstiaryTokens

/// What a client is given (RFC 6749 §5.1, OpenID Connect Core §3.1.3.3). It is not to be stored by anybody in between.
package struct TokenResponse: Sendable {
    package enum TokenType: String, Sendable {
        case bearer = "Bearer"
        /// Only where a proof was sent (RFC 9449 §5).
        case dpop = "DPoP"
    }

    package let accessToken: String
    package let type: TokenType
    /// `expires_in`: seconds.
    package let life: UInt64
    /// What was granted, also when it is what was asked for: apps show and hide by it (S3-43).
    package let scopes: ScopeSet
    package let refreshToken: String?
    package let idToken: String?
    package let issuedType: String?

    package var json: JSONObject {
        JSONObject([
            "access_token": .string(accessToken), "issued_token_type": issuedType.map { .string($0) }, "token_type": .string(type.rawValue),
            "expires_in": .integer(Int64(clamping: life)), "scope": .string(scopes.text), "refresh_token": refreshToken.map { .string($0) },
            "id_token": idToken.map { .string($0) },
        ])
    }
}

extension TokenResponse: CustomStringConvertible, CustomReflectable {
    package var description: String { "TokenResponse ‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
