import HTTPService
import HTTPTypes
import OAuthProvider

// What the REST API says of what may not be written of applications, APIs, roles and users.

extension UnknownRegistryItem: ErrorResponseConvertible {
    package var errorResponse: ErrorResponse {
        switch item {
        case .api: ErrorResponse(.notFound, "api_unknown", "this server has no such API")
        case .role: ErrorResponse(.notFound, "role_unknown", "this server has no such role")
        case .application: ErrorResponse(.notFound, "application_unknown", "this server has no such application")
        case .user: ErrorResponse(.notFound, "user_unknown", "nothing was written of this user")
        }
    }
}

extension UnknownGrant: ErrorResponseConvertible {
    package var errorResponse: ErrorResponse {
        ErrorResponse(.notFound, "grant_unknown", "there is no such grant, or it is over")
    }
}

extension NoSecretWanted: ErrorResponseConvertible {
    package var errorResponse: ErrorResponse {
        ErrorResponse(.conflict, "no_secret_wanted", "the application shows who it is without a secret: see its token_endpoint_auth_method")
    }
}

extension RegistryRefusal: ErrorResponseConvertible {
    /// With the place in the document.
    package var errorResponse: ErrorResponse {
        guard case .bad(let field, let problem) = reason.fieldRefusal else { return reason.fieldRefusal.errorResponse }
        return FieldRefusal.bad("\(place).\(field)", problem).errorResponse
    }

    private var place: String {
        switch item {
        case .api(let identifier): "apis.\(identifier.text)"
        case .role(let name): "roles.\(name)"
        case .application(let id): "applications.\(id.text)"
        case .user(let userID): "users.\(userID)"
        }
    }
}

extension RegistryRefusal.Reason {
    /// The member that is wrong, and why.
    var fieldRefusal: FieldRefusal {
        switch self {
        case .api(let refusal): refusal.fieldRefusal
        case .role(let refusal): refusal.fieldRefusal
        case .application(let refusal): refusal.fieldRefusal
        case .user(let refusal): refusal.fieldRefusal
        }
    }
}

private let lineRule = "bytes on one line, something to see, and no control or direction characters"

extension APIRefusal {
    fileprivate var fieldRefusal: FieldRefusal {
        switch self {
        case .nameWrong: .bad("name", "has 1 to 80 \(lineRule)")
        case .lifeWrong: .bad("token_lifetime", "is 30 to 2592000 seconds")
        case .sessionLifeWrong: .bad("session_token_lifetime", "is 30 to 2592000 seconds")
        case .tooManyScopes: .bad("scopes", "has at most 64")
        case .scopeTwice(let scope): .bad("scopes.\(scope.text)", "is there twice")
        case .scopeReserved(let scope): .bad("scopes.\(scope.text)", "is for the identity of people, and of no API")
        case .wordsWrong(let scope): .bad("scopes.\(scope.text)", "has 1 to 120 \(lineRule): people read it before they agree")
        case .tooManyClaims: .bad("access_token_claims", "has at most 16")
        }
    }
}

extension RoleRefusal {
    fileprivate var fieldRefusal: FieldRefusal {
        switch self {
        case .nameWrong: .bad("role", "has 1 to 80 \(lineRule), and is not . or ..")
        case .apiUnknown(let api): .bad("permissions.\(api.text)", "is no API of this server")
        case .scopeUnknown(let api, let scope): .bad("permissions.\(api.text)", "has no scope \(scope.text)")
        }
    }
}

extension UserRefusal {
    fileprivate var fieldRefusal: FieldRefusal {
        switch self {
        case .idWrong: .bad("user_id", "has 1 to 255 \(lineRule), and is not . or ..")
        case .nameWrong: .bad("name", "has 1 to 255 \(lineRule)")
        case .pictureWrong: .bad("picture", "is an https address of at most 2,000 bytes")
        case .emailWrong: .bad("email", "is one address of at most 254 bytes")
        case .verifiedWithoutEmail: .bad("email_verified", "says something of an address that is left out")
        case .tooManyRoles: .bad("roles", "has at most 64")
        case .roleUnknown(let role): .bad("roles", "has \(role), which is no role of this server")
        }
    }
}

extension ApplicationRefusal {
    fileprivate var fieldRefusal: FieldRefusal {
        switch self {
        case .idWrong: .bad("client_id", "has what an address can't have as it is: write letters, digits and -._~!$&'()*+,;=@ only")
        case .nameWrong: .bad("client_name", "has 1 to 80 \(lineRule)")
        case .siteWrong: .bad("client_uri", "is https, or http to this machine, in at most 255 bytes; leave it out for none")
        case .machineWithoutCredentials: .bad("token_endpoint_auth_method", "is not none for a machine: anybody could say that they are it")
        case .secretMissing: .bad("token_endpoint_auth_method", "needs a secret")
        case .keyMissing: .bad("jwks", "is missing: private_key_jwt is verified with a key of it")
        case .grantTypeWrong(let type):
            .bad("grant_types", "has \(type.rawValue), which is not for an application of this kind, or for one that shows no credentials")
        case .refreshAlone: .bad("grant_types", "has refresh_token and none that gives refresh tokens: authorization_code, device_code or ciba")
        case .redirectMissing: .bad("redirect_uris", "is empty: where do browsers bring their codes?")
        case .redirectUnneeded: .bad("redirect_uris", "is for authorization_code only, which grant_types does not have")
        case .tooManyRedirects: .bad("redirect_uris", "has at most 50")
        case .redirectWrong(let text): .bad("redirect_uris", "has \(text), which is for native applications")
        case .redirectUnusable(let text): .bad("redirect_uris", "has \(text), which is of before a rule that it breaks: write another")
        case .addressWrong(let use, let text):
            .bad(use.field, "\(use == .afterLogout ? "has" : "is") \(text): write https, or http to this machine, without a fragment")
        case .deliveryMissing: .bad("backchannel_token_delivery_mode", "is missing: CIBA is by poll or ping")
        case .lifeWrong: .bad("refresh_lifetime", "is 0: leave out what has no end")
        case .idleLifeWrong: .bad("refresh_idle_lifetime", "is 0: leave out what has no end")
        case .kindFixed: .bad("kind", "cannot be changed: delete the application, or make another")
        case .apiUnknown(let api): .bad("apis", "or serves has \(api.text), which is no API of this server")
        case .scopeUnknown(let api, let scope): .bad("apis.\(api.text)", "has no scope \(scope.text)")
        }
    }
}

extension ApplicationRefusal.Address {
    fileprivate var field: String {
        switch self {
        case .afterLogout: "post_logout_redirect_uris"
        case .logoutNotice: "backchannel_logout_uri"
        case .ping: "backchannel_client_notification_endpoint"
        }
    }
}
