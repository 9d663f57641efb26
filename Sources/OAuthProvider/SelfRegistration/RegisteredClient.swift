import OstiaryProtocol
import OstiaryTokens

/// A client that has just registered itself. Its secret is told now and never again.
package struct RegisteredClient: Sendable {
    package let application: Application
    let secret: DrawnClientSecret?
    let issuedAt: Instant

    /// The answer (RFC 7591 §3.2.1): everything as it is now, also what the client left out.
    package var json: JSONObject {
        let application = application
        return JSONObject([
            "client_id": .string(application.id.text), "client_id_issued_at": .integer(Int64(clamping: issuedAt.seconds)),
            "client_secret": secret.map { .string($0.text) }, "client_secret_expires_at": secret.map { _ in .integer(0) },
            "client_name": .string(application.name), "client_uri": application.siteURL.isEmpty ? nil : .string(application.siteURL),
            "application_type": .string(application.kind.rawValue), "redirect_uris": .strings(application.redirectURIs.map(\.text)),
            "token_endpoint_auth_method": .string(application.authentication.rawValue),
            "jwks": application.keys.keys.isEmpty ? nil : .object(application.keys.json),
            "grant_types": .strings(application.grantTypes.map(\.rawValue).sorted()),
            "response_types": .strings(application.grantTypes.contains(.authorizationCode) ? ["code"] : []), "scope": .string(scope.text),
            "dpop_bound_access_tokens": .bool(application.requiresDPoP),
            "require_pushed_authorization_requests": .bool(application.requiresPushedRequests),
            "id_token_signed_response_alg": .string(application.idTokenAlgorithm.rawValue),
        ])
    }

    /// All that it may ask for, of whichever API.
    private var scope: ScopeSet {
        let identity = application.grantTypes.contains(.refreshToken) ? Scope.identity : Scope.identity.subtracting([.offlineAccess])
        return application.apis.sorted { $0.key.text < $1.key.text }.reduce(identity) { $0.union($1.value) }
    }
}
