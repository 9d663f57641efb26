import OstiaryProtocol

/// What an access token says (RFC 9068 §2.2).
package struct AccessTokenClaims: Hashable, Sendable {
    package var issuer: String
    /// The person, or of a token that a machine got for itself the client.
    package var subject: String
    /// The identifier of the API first; the issuer too when the token is good at userinfo.
    package var audiences: [String]
    package var clientID: String
    package var issuedAt: Instant
    package var expiresAt: Instant
    package var id: String
    /// Space-separated; empty for none.
    package var scope: String
    /// How somebody logged in; nil when nobody did.
    package var authentication: AuthenticationClaims?
    /// The key that has to be shown with the token (RFC 9449 §6.1).
    package var boundKey: Thumbprint?
    /// What an operator's rules added. Names that mean something here are dropped when it is written.
    package var custom: JSONObject

    package init(
        issuer: String, subject: String, audiences: [String], clientID: String, issuedAt: Instant, expiresAt: Instant, id: String, scope: String,
        authentication: AuthenticationClaims? = nil, boundKey: Thumbprint? = nil, custom: JSONObject = JSONObject()
    ) {
        self.issuer = issuer
        self.subject = subject
        self.audiences = audiences
        self.clientID = clientID
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.id = id
        self.scope = scope
        self.authentication = authentication
        self.boundKey = boundKey
        self.custom = custom
    }

    private static let reserved: Set<String> = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "client_id", "scope", "auth_time", "acr", "amr", "cnf", "act", "may_act", "azp", "nonce",
        "at_hash", "c_hash", "sid", "events", "authorization_details",
    ]

    package var json: JSONObject {
        var object = JSONObject([
            "iss": .string(issuer), "sub": .string(subject), "aud": audiences.count == 1 ? .string(audiences[0]) : .strings(audiences),
            "client_id": .string(clientID), "iat": .moment(issuedAt), "exp": .moment(expiresAt), "jti": .string(id),
            "scope": scope.isEmpty ? nil : .string(scope),
        ])
        authentication?.write(to: &object)
        if let boundKey { object["cnf"] = .object(JSONObject(["jkt": .string(boundKey.text)])) }
        for member in custom.members where !Self.reserved.contains(member.name) { object[member.name] = member.value }
        return object
    }

    /// Reads what is required, and what we ask about.
    package init(_ object: JSONObject) throws(ClaimError) {
        issuer = try object.text("iss")
        subject = try object.text("sub")
        audiences = try object.audiences()
        clientID = try object.text("client_id")
        issuedAt = try object.moment("iat")
        expiresAt = try object.moment("exp")
        id = try object.text("jti")
        if let value = object["scope"] {
            guard let text = value.string else { throw .wrong("scope") }
            scope = text
        } else {
            scope = ""
        }
        authentication = try AuthenticationClaims(object)
        if let confirmation = object["cnf"] {
            // A token that is bound to something which nobody here can check is no bearer token.
            guard let thumbprint = confirmation.object?["jkt"]?.string.flatMap(Thumbprint.init(text:)) else { throw .wrong("cnf") }
            boundKey = thumbprint
        } else {
            boundKey = nil
        }
        custom = JSONObject()
        for member in object.members where !Self.reserved.contains(member.name) { custom[member.name] = member.value }
    }

    /// The scopes one by one: a name that begins like another is another.
    package func allows(_ scope: String) -> Bool { self.scope.split(separator: " ").contains { $0 == scope } }
}

/// How and when somebody logged in (OpenID Connect Core §2, RFC 9068 §2.2.1).
package struct AuthenticationClaims: Hashable, Sendable {
    /// When the person last showed themself.
    package let time: Instant
    package let acr: String
    package let amr: [String]

    package init(time: Instant, acr: String, amr: [String]) {
        self.time = time
        self.acr = acr
        self.amr = amr
    }

    /// Nil when a token says nothing of a login.
    init?(_ object: JSONObject) throws(ClaimError) {
        guard let time = try object.optionalMoment("auth_time") else { return nil }
        self.time = time
        acr = try object.optionalText("acr") ?? ""
        if let values = object["amr"] {
            guard let strings = values.strings else { throw .wrong("amr") }
            amr = strings
        } else {
            amr = []
        }
    }

    func write(to object: inout JSONObject) {
        object["auth_time"] = .moment(time)
        object["acr"] = acr.isEmpty ? nil : .string(acr)
        object["amr"] = amr.isEmpty ? nil : .strings(amr)
    }
}
