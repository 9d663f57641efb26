import HTTPService
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

extension Application {
    /// The Application object of the REST API, in the names of RFC 7591 and OpenID Connect where they have one. Of secrets it says how many there are.
    var json: JSONObject {
        let address: String? = if case .ping(let address) = backchannel { address } else { nil }
        return JSONObject([
            "client_id": .string(id.text), "kind": .string(kind.rawValue), "client_name": .string(name), "client_uri": .string(siteURL),
            "first_party": .bool(isFirstParty), "enabled": .bool(isEnabled), "redirect_uris": .strings(redirectURIs.map(\.text)),
            "post_logout_redirect_uris": .strings(postLogoutRedirectURIs.sorted()),
            "backchannel_logout_uri": backchannelLogoutURI.map { .string($0) },
            "token_endpoint_auth_method": .string(authentication.rawValue), "jwks": keys.keys.isEmpty ? nil : .object(keys.json),
            "grant_types": .strings(grantTypes.map(\.rawValue).sorted()), "apis": .scopes(byAPI: apis),
            "serves": .strings(serves.map(\.text).sorted()), "dpop_bound_access_tokens": .bool(requiresDPoP),
            "require_pushed_authorization_requests": .bool(requiresPushedRequests), "assertions_by_rs256": .bool(mayAssertByRS256),
            "id_token_signed_response_alg": .string(idTokenAlgorithm.rawValue),
            "backchannel_token_delivery_mode": backchannel.map { .string($0 == .poll ? "poll" : "ping") },
            "backchannel_client_notification_endpoint": address.map { .string($0) },
            "refresh_lifetime": refreshLife.absolute.map { .seconds($0) }, "refresh_idle_lifetime": refreshLife.idle.map { .seconds($0) },
            "secrets": .integer(Int64(secrets.count)),
        ])
    }
}

extension JSONValue {
    static func scopes(byAPI apis: [APIIdentifier: ScopeSet]) -> JSONValue {
        var object = JSONObject()
        for (api, scopes) in apis.sorted(by: { $0.key.text < $1.key.text }) { object[api.text] = .strings(scopes.scopes.map(\.text)) }
        return .object(object)
    }

    static func seconds(_ count: UInt64) -> JSONValue { .integer(Int64(clamping: count)) }
}

/// The body of putApplication: the whole object. What is left out has the value that an application has of which nothing else is said.
struct AdminApplicationPut: JSONFields {
    let clientID: String?
    let kind: String
    let name: String
    let site: String?
    let isFirstParty: Bool?
    let isEnabled: Bool?
    let redirectURIs: [String]?
    let postLogoutURIs: [String]?
    let logoutURI: String?
    let authentication: String?
    let keys: AdminKeySet?
    let grantTypes: [String]?
    let apis: [String: [String]]?
    let serves: [String]?
    let requiresDPoP: Bool?
    let requiresPushedRequests: Bool?
    let mayAssertByRS256: Bool?
    let idTokenAlgorithm: String?
    let deliveryMode: String?
    let notificationEndpoint: String?
    let refreshLife: JSONInteger?
    let refreshIdleLife: JSONInteger?
    let secrets: JSONInteger?

    typealias CodingKeys = Field

    enum Field: String, CodingKey, CaseIterable {
        case clientID = "client_id"
        case kind
        case name = "client_name"
        case site = "client_uri"
        case isFirstParty = "first_party"
        case isEnabled = "enabled"
        case redirectURIs = "redirect_uris"
        case postLogoutURIs = "post_logout_redirect_uris"
        case logoutURI = "backchannel_logout_uri"
        case authentication = "token_endpoint_auth_method"
        case keys = "jwks"
        case grantTypes = "grant_types"
        case apis, serves
        case requiresDPoP = "dpop_bound_access_tokens"
        case requiresPushedRequests = "require_pushed_authorization_requests"
        case mayAssertByRS256 = "assertions_by_rs256"
        case idTokenAlgorithm = "id_token_signed_response_alg"
        case deliveryMode = "backchannel_token_delivery_mode"
        case notificationEndpoint = "backchannel_client_notification_endpoint"
        case refreshLife = "refresh_lifetime"
        case refreshIdleLife = "refresh_idle_lifetime"
        case secrets
    }

    func application(_ id: ClientID, of server: ServerID) throws -> Application {
        if let clientID, clientID != id.text { throw AdminRefusal.immutable(Field.clientID.rawValue) }
        if let secrets, secrets.value < 0 { throw FieldRefusal.bad(Field.secrets.rawValue, "is 0 or more") }
        let kind: Application.Kind = try AdminWords.one(kind, Field.kind.rawValue)
        let method = try authentication.map { try AdminWords.one($0, Field.authentication.rawValue) } ?? Self.method(of: kind)
        var application = Application(id: id, server: server, kind: kind, name: name, authentication: method)
        application.siteURL = site ?? ""
        application.isFirstParty = isFirstParty ?? false
        application.isEnabled = isEnabled ?? true
        application.redirectURIs = try redirects(ofApp: kind == .native)
        application.postLogoutRedirectURIs = Set(postLogoutURIs ?? [])
        application.backchannelLogoutURI = logoutURI
        application.keys = try keys?.set(Field.keys.rawValue) ?? JWKSet([])
        application.grantTypes = Set(try grantTypes.map { try AdminWords.all($0, Field.grantTypes.rawValue) } ?? Self.grantTypes(of: kind))
        application.apis = try AdminWords.scopes(apis ?? [:], Field.apis.rawValue)
        application.serves = Set(try (serves ?? []).enumerated().map { try AdminWords.api($1, "\(Field.serves.rawValue)[\($0)]") })
        application.requiresDPoP = requiresDPoP ?? false
        application.requiresPushedRequests = requiresPushedRequests ?? false
        application.mayAssertByRS256 = mayAssertByRS256 ?? true
        application.idTokenAlgorithm = try idTokenAlgorithm.map { try AdminWords.one($0, Field.idTokenAlgorithm.rawValue) } ?? .es256
        application.backchannel = try delivery()
        application.refreshLife = RefreshLife(
            absolute: try AdminWords.seconds(refreshLife, Field.refreshLife.rawValue),
            idle: try AdminWords.seconds(refreshIdleLife, Field.refreshIdleLife.rawValue))
        return application
    }

    private static func method(of kind: Application.Kind) -> ClientAuthenticationMethod {
        switch kind {
        case .native: .none
        case .web, .machine: .basic
        }
    }

    private static func grantTypes(of kind: Application.Kind) -> [GrantType] {
        switch kind {
        case .native, .web: [.authorizationCode, .refreshToken]
        case .machine: [.clientCredentials]
        }
    }

    private func redirects(ofApp: Bool) throws -> [RedirectURI] {
        let uris = redirectURIs ?? []
        if let twice = uris.indices.first(where: { uris[..<$0].contains(uris[$0]) }) {
            throw FieldRefusal.bad("\(Field.redirectURIs.rawValue)[\(twice)]", "is there twice")
        }
        return try uris.enumerated().map { index, text in
            do { return try RedirectURI(registering: text, ofApp: ofApp) } catch let error as RedirectURIError {
                throw FieldRefusal.bad("\(Field.redirectURIs.rawValue)[\(index)]", error.words)
            }
        }
    }

    private func delivery() throws -> BackchannelDelivery? {
        switch (deliveryMode, notificationEndpoint) {
        case (nil, nil): return nil
        case ("poll", nil): return .poll
        case ("ping", let address?): return .ping(address)
        case ("ping", nil): throw FieldRefusal.bad(Field.notificationEndpoint.rawValue, "is missing: where is the client told?")
        case (nil, _), ("poll", _): throw FieldRefusal.bad(Field.notificationEndpoint.rawValue, "is for ping only")
        case (_, _): throw FieldRefusal.bad(Field.deliveryMode.rawValue, "is poll or ping")
        }
    }
}

/// The body of rotateSecret.
struct AdminSecretRotation: JSONFields {
    let overlap: JSONInteger?

    enum Field: String, CodingKey, CaseIterable { case overlap }
}
