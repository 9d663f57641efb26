import OstiaryProtocol

/// What an ID token says (OpenID Connect Core §2).
package struct IDTokenClaims: Hashable, Sendable {
    /// Seconds for which one is good: it is read once, at the client.
    package static let life: UInt64 = 3_600

    package var issuer: String
    package var subject: String
    package var clientID: String
    package var issuedAt: Instant
    package var expiresAt: Instant
    package var authentication: AuthenticationClaims
    /// As the request had it; nil if it had none (§3.1.3.7).
    package var nonce: String?
    /// The session at the provider, by which a logout token names it.
    package var session: String?
    package var profile: ProfileClaims

    package init(
        issuer: String, subject: String, clientID: String, issuedAt: Instant, authentication: AuthenticationClaims, nonce: String?, session: String?,
        profile: ProfileClaims
    ) {
        self.issuer = issuer
        self.subject = subject
        self.clientID = clientID
        self.issuedAt = issuedAt
        expiresAt = issuedAt + Self.life
        self.authentication = authentication
        self.nonce = nonce
        self.session = session
        self.profile = profile
    }

    package var json: JSONObject {
        var object = JSONObject([
            "iss": .string(issuer), "sub": .string(subject), "aud": .string(clientID), "iat": .moment(issuedAt), "exp": .moment(expiresAt),
        ])
        authentication.write(to: &object)
        object["nonce"] = nonce.map { .string($0) }
        object["sid"] = session.map { .string($0) }
        profile.write(to: &object)
        return object
    }
}

/// What is known of a person beyond who they are (OpenID Connect Core §5.1).
package struct ProfileClaims: Hashable, Sendable {
    package var name: String?
    package var picture: String?
    package var email: String?
    /// Left out when there is no address.
    package var isEmailVerified: Bool

    package static let none = ProfileClaims()

    package init(name: String? = nil, picture: String? = nil, email: String? = nil, isEmailVerified: Bool = false) {
        self.name = name
        self.picture = picture
        self.email = email
        self.isEmailVerified = isEmailVerified
    }

    package func write(to object: inout JSONObject) {
        object["name"] = name.map { .string($0) }
        object["picture"] = picture.map { .string($0) }
        object["email"] = email.map { .string($0) }
        object["email_verified"] = email == nil ? nil : .bool(isEmailVerified)
    }
}
