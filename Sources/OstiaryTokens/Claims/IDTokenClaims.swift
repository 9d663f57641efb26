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
    /// What of the profile it says.
    package var told: Set<PersonClaim>

    package init(
        issuer: String, subject: String, clientID: String, issuedAt: Instant, authentication: AuthenticationClaims, nonce: String?, session: String?,
        profile: ProfileClaims, telling told: Set<PersonClaim> = Set(PersonClaim.allCases)
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
        self.told = told
    }

    package var json: JSONObject {
        var object = JSONObject([
            "iss": .string(issuer), "sub": .string(subject), "aud": .string(clientID), "iat": .moment(issuedAt), "exp": .moment(expiresAt),
        ])
        authentication.write(to: &object)
        object["nonce"] = nonce.map { .string($0) }
        object["sid"] = session.map { .string($0) }
        profile.write(told, to: &object)
        return object
    }
}

/// A claim of a person beyond who they are, by its name (OpenID Connect Core §5.1).
package enum PersonClaim: String, CaseIterable, Sendable {
    case name, picture, email
    case emailVerified = "email_verified"
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

    /// Nil for what nobody knows.
    package func value(of claim: PersonClaim) -> JSONValue? {
        switch claim {
        case .name: name.map { .string($0) }
        case .picture: picture.map { .string($0) }
        case .email: email.map { .string($0) }
        case .emailVerified: email.map { _ in .bool(isEmailVerified) }
        }
    }

    /// Adds these claims, as far as they are known.
    package func write(_ claims: Set<PersonClaim>, to object: inout JSONObject) {
        for claim in PersonClaim.allCases where claims.contains(claim) { object[claim.rawValue] = value(of: claim) }
    }
}
