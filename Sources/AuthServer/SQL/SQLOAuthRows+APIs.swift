import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// What an operator writes of APIs, roles and users.
extension SQLOAuthRows {
    private static let apis = SQLTable(
        "oauth_api", key: ["server", "identifier"],
        columns: ["name", "scopes", "form", "algorithm", "life", "session_life", "offline", "skips_consent", "checks_permissions"])

    func api(_ identifier: APIIdentifier, of server: ServerID) throws -> ProtectedAPI? {
        try knownAPIs.row(Key(server: server, name: identifier)) {
            let condition = "WHERE server = $1 AND identifier = $2"
            return try connection.one(Self.apis.selection + condition, [SQLValue(server), .text(identifier.text)]).map { row in
                var api = ProtectedAPI(identifier: identifier, server: server, name: try row.text("name"))
                api.scopes = try row.lines("scopes").map { line in
                    let (scope, words) = SQLRow.keyed(line)
                    return APIScope(try SQLRow.required(Scope(scope), "scopes"), words: words)
                }
                api.form = try row.word("form")
                api.algorithm = try row.word("algorithm")
                api.life = try row.unsigned("life")
                api.sessionLife = try row.unsigned("session_life")
                api.allowsOfflineAccess = try row.bool("offline")
                api.firstPartySkipsConsent = try row.bool("skips_consent")
                api.checksPermissions = try row.bool("checks_permissions")
                return api
            }
        }
    }

    func save(_ api: ProtectedAPI) throws {
        try knownAPIs.save(
            api, as: Key(server: api.server, name: api.identifier),
            values: { api in
                [
                    SQLValue(api.server), .text(api.identifier.text), .text(api.name),
                    TextColumns.lines(api.scopes.map { "\($0.scope.text) \($0.words)" }), .text(api.form.rawValue), .text(api.algorithm.rawValue),
                    SQLValue(api.life), SQLValue(api.sessionLife), SQLValue(api.allowsOfflineAccess), SQLValue(api.firstPartySkipsConsent),
                    SQLValue(api.checksPermissions),
                ]
            }, by: Self.apis.saver(on: connection))
    }

    private static let roles = SQLTable("oauth_role", key: ["server", "name"], columns: ["permissions"])

    func role(_ name: String, of server: ServerID) throws -> Role? {
        try knownRoles.row(Key(server: server, name: name)) {
            try connection.one(Self.roles.selection + "WHERE server = $1 AND name = $2", [SQLValue(server), .text(name)]).map { row in
                Role(server: server, name: name, permissions: try row.scopesByAPI("permissions"))
            }
        }
    }

    func save(_ role: Role) throws {
        try knownRoles.save(
            role, as: Key(server: role.server, name: role.name),
            values: { [SQLValue($0.server), .text($0.name), TextColumns.scopes(byAPI: $0.permissions)] },
            by: Self.roles.saver(on: connection))
    }

    private static let users = SQLTable(
        "oauth_user", key: ["server", "user_id"], columns: ["name", "picture", "email", "email_verified", "roles"])

    func user(_ userID: String, of server: ServerID) throws -> ProviderUser? {
        try knownUsers.row(Key(server: server, name: userID)) {
            try connection.one(Self.users.selection + "WHERE server = $1 AND user_id = $2", [SQLValue(server), .text(userID)]).map { row in
                let profile = ProfileClaims(
                    name: try row.optionalText("name"), picture: try row.optionalText("picture"), email: try row.optionalText("email"),
                    isEmailVerified: try row.bool("email_verified"))
                return ProviderUser(server: server, userID: userID, profile: profile, roles: Set(try row.lines("roles")))
            }
        }
    }

    func save(_ user: ProviderUser) throws {
        try knownUsers.save(
            user, as: Key(server: user.server, name: user.userID),
            values: { user in
                [
                    SQLValue(user.server), .text(user.userID), SQLValue(user.profile.name), SQLValue(user.profile.picture),
                    SQLValue(user.profile.email), SQLValue(user.profile.isEmailVerified), TextColumns.lines(user.roles.sorted()),
                ]
            }, by: Self.users.saver(on: connection))
    }

    func permissions(of account: AccountID, at api: APIIdentifier, server: ServerID) throws -> ScopeSet {
        let sql = "SELECT user_id FROM account WHERE id = $1 AND server = $2 AND user_id IS NOT NULL"
        guard let row = try connection.one(sql, [SQLValue(account), SQLValue(server)]),
            let user = try user(try row.text("user_id"), of: server)
        else { return [] }
        return try user.roles.sorted().reduce([]) { $0.union(try role($1, of: server)?.permissions[api] ?? []) }
    }
}
