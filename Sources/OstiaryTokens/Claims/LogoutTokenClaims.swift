import OstiaryProtocol

/// What tells a client's backend that somebody logged out (OpenID Connect Back-Channel Logout §2.4). It has no nonce, so that none is taken for an ID
/// token.
package struct LogoutTokenClaims: Hashable, Sendable {
    package static let event = "http://schemas.openid.net/event/backchannel-logout"
    /// Seconds for which one is good: longer than it takes to be sent again.
    package static let life: UInt64 = 120

    package let issuer: String
    package let clientID: String
    /// Nil when nobody knows any more who it was: the session says it (§2.4).
    package let subject: String?
    package let session: String
    package let issuedAt: Instant
    package let id: String

    package init(issuer: String, clientID: String, subject: String?, session: String, issuedAt: Instant, id: String) {
        self.issuer = issuer
        self.clientID = clientID
        self.subject = subject
        self.session = session
        self.issuedAt = issuedAt
        self.id = id
    }

    package var json: JSONObject {
        JSONObject([
            "iss": .string(issuer), "sub": subject.map { .string($0) }, "aud": .string(clientID), "iat": .moment(issuedAt),
            "exp": .moment(issuedAt + Self.life), "jti": .string(id), "sid": .string(session),
            "events": .object(JSONObject([Self.event: .object(JSONObject())])),
        ])
    }
}
