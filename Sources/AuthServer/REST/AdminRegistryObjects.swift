import HTTPService
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

extension ProtectedAPI {
    /// The API object of the REST API.
    var json: JSONObject {
        var words = JSONObject()
        for each in scopes.sorted(by: { $0.scope.text < $1.scope.text }) { words[each.scope.text] = .string(each.words) }
        var claims = JSONObject()
        for (name, source) in addedClaims.sorted(by: { $0.key.text < $1.key.text }) { claims[name.text] = .string(source.rawValue) }
        return JSONObject([
            "identifier": .string(identifier.text), "name": .string(name), "scopes": .object(words), "token_format": .string(form.rawValue),
            "signing_alg": .string(algorithm.rawValue), "token_lifetime": .seconds(life), "session_token_lifetime": .seconds(sessionLife),
            "allow_offline_access": .bool(allowsOfflineAccess), "skip_consent_for_first_party": .bool(firstPartySkipsConsent),
            "check_permissions": .bool(checksPermissions), "access_token_claims": .object(claims),
        ])
    }
}

/// The body of putAPI.
struct AdminAPIPut: JSONFields {
    let identifier: String?
    let name: String
    let scopes: [String: String]?
    let form: String?
    let algorithm: String?
    let life: JSONInteger?
    let sessionLife: JSONInteger?
    let allowsOfflineAccess: Bool?
    let skipsConsent: Bool?
    let checksPermissions: Bool?
    let addedClaims: [String: String]?

    typealias CodingKeys = Field

    enum Field: String, CodingKey, CaseIterable {
        case identifier, name, scopes
        case form = "token_format"
        case algorithm = "signing_alg"
        case life = "token_lifetime"
        case sessionLife = "session_token_lifetime"
        case allowsOfflineAccess = "allow_offline_access"
        case skipsConsent = "skip_consent_for_first_party"
        case checksPermissions = "check_permissions"
        case addedClaims = "access_token_claims"
    }

    func api(_ id: APIIdentifier, of server: ServerID) throws -> ProtectedAPI {
        if let identifier, identifier != id.text { throw AdminRefusal.immutable(Field.identifier.rawValue) }
        var api = ProtectedAPI(identifier: id, server: server, name: name)
        api.scopes = try (scopes ?? [:]).sorted { $0.key < $1.key }.map { text, words in
            APIScope(try AdminWords.scope(text, "\(Field.scopes.rawValue).\(text)"), words: words)
        }
        api.form = try form.map { try AdminWords.one($0, Field.form.rawValue) } ?? .jwt
        api.algorithm = try algorithm.map { try AdminWords.one($0, Field.algorithm.rawValue) } ?? .es256
        api.life = try AdminWords.seconds(life, Field.life.rawValue) ?? ProtectedAPI.defaultLife
        api.sessionLife = try AdminWords.seconds(sessionLife, Field.sessionLife.rawValue) ?? ProtectedAPI.defaultSessionLife
        api.allowsOfflineAccess = allowsOfflineAccess ?? false
        api.firstPartySkipsConsent = skipsConsent ?? true
        api.checksPermissions = checksPermissions ?? false
        api.addedClaims = try AdminWords.claims(addedClaims ?? [:], Field.addedClaims.rawValue)
        return api
    }
}

extension Role {
    /// The Role object of the REST API.
    var json: JSONObject { JSONObject(["role": .string(name), "permissions": .scopes(byAPI: permissions)]) }
}

/// The body of putRole.
struct AdminRolePut: JSONFields {
    let role: String?
    let permissions: [String: [String]]?

    enum Field: String, CodingKey, CaseIterable { case role, permissions }

    func role(_ name: String, of server: ServerID) throws -> Role {
        if let role, role != name { throw AdminRefusal.immutable(Field.role.rawValue) }
        return Role(server: server, name: name, permissions: try AdminWords.scopes(permissions ?? [:], Field.permissions.rawValue))
    }
}

extension ProviderUser {
    /// The User object of the REST API.
    var json: JSONObject {
        JSONObject([
            "user_id": .string(userID), "name": profile.name.map { .string($0) }, "picture": profile.picture.map { .string($0) },
            "email": profile.email.map { .string($0) }, "email_verified": .bool(profile.isEmailVerified), "roles": .strings(roles.sorted()),
        ])
    }
}

/// The body of putUser.
struct AdminUserPut: JSONFields {
    let userID: String?
    let name: String?
    let picture: String?
    let email: String?
    let isEmailVerified: Bool?
    let roles: [String]?

    typealias CodingKeys = Field

    enum Field: String, CodingKey, CaseIterable {
        case userID = "user_id"
        case name, picture, email
        case isEmailVerified = "email_verified"
        case roles
    }

    func user(_ id: String, of server: ServerID) throws -> ProviderUser {
        if let userID, userID != id { throw AdminRefusal.immutable(Field.userID.rawValue) }
        let profile = ProfileClaims(name: name, picture: picture, email: email, isEmailVerified: isEmailVerified ?? false)
        return ProviderUser(server: server, userID: id, profile: profile, roles: Set(roles ?? []))
    }
}

/// The body of applyRegistry: what is wanted, by name.
struct AdminRegistryDocument: JSONFields {
    let apis: [String: Strict<AdminAPIPut>]?
    let roles: [String: Strict<AdminRolePut>]?
    let applications: [String: Strict<AdminApplicationPut>]?
    let users: [String: Strict<AdminUserPut>]?

    enum Field: String, CodingKey, CaseIterable { case apis, roles, applications, users }

    func document(of server: ServerID) throws -> RegistryDocument {
        RegistryDocument(
            apis: try apis.map { all in
                try Self.each(all, .apis) { name, body in try body.api(try AdminWords.api(name, ""), of: server) }
            },
            roles: try roles.map { all in try Self.each(all, .roles) { name, body in try body.role(name, of: server) } },
            applications: try applications.map { all in
                try Self.each(all, .applications) { name, body in try body.application(try AdminRegistryName.client(name), of: server) }
            },
            users: try users.map { all in try Self.each(all, .users) { name, body in try body.user(name, of: server) } })
    }

    /// In the order of names, so that the first mistake is always the same. What is wrong is told with its place in the document.
    private static func each<Body, Value>(
        _ all: [String: Strict<Body>], _ section: Field, _ value: (String, Body) throws -> Value
    ) throws -> [Value] {
        try all.sorted { $0.key < $1.key }.map { name, body in
            let place = "\(section.rawValue).\(name)"
            do { return try value(name, body.value) } catch FieldRefusal.bad(let field, let problem) {
                throw FieldRefusal.bad(field.isEmpty ? place : "\(place).\(field)", problem)
            } catch AdminRefusal.immutable(let field) {
                throw FieldRefusal.bad("\(place).\(field)", "is another than the name that it stands under")
            }
        }
    }
}

/// Names of the registry that come as text.
enum AdminRegistryName {
    static func client(_ text: String) throws(FieldRefusal) -> ClientID {
        guard let id = ClientID(text) else { throw .bad("", "is no client_id: 1 to 128 visible characters of ASCII, without a colon") }
        return id
    }
}
