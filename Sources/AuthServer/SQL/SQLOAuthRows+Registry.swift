import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// What an operator looks at and takes away.
extension SQLOAuthRows {
    func applications(of server: ServerID, _ part: ListPart) throws -> Listed<Application> {
        try listed(ApplicationColumns.table, of: server, by: "id", part, ApplicationColumns.read)
    }

    func apis(of server: ServerID, _ part: ListPart) throws -> Listed<ProtectedAPI> {
        try listed(RegistryColumns.apis, of: server, by: "identifier", part, RegistryColumns.api)
    }

    func roles(of server: ServerID, _ part: ListPart) throws -> Listed<Role> {
        try listed(RegistryColumns.roles, of: server, by: "name", part, RegistryColumns.role)
    }

    func users(of server: ServerID, _ part: ListPart) throws -> Listed<ProviderUser> {
        try listed(RegistryColumns.users, of: server, by: "user_id", part, RegistryColumns.user)
    }

    func users(of server: ServerID, having role: String) throws -> [ProviderUser] {
        // Which of them have this one is not the database's to say: names stand in one column.
        try connection.query(RegistryColumns.users.selection + "WHERE server = $1 AND roles <> ''", [SQLValue(server)])
            .map(RegistryColumns.user).filter { $0.roles.contains(role) }
    }

    private func listed<Element: Sendable>(
        _ table: SQLTable, of server: ServerID, by name: String, _ part: ListPart, _ read: (SQLRow) throws -> Element
    ) throws -> Listed<Element> {
        let elements = try connection.query(
            table.selection + "WHERE server = $1 ORDER BY \(name) LIMIT $2 OFFSET $3",
            [SQLValue(server), SQLValue(part.limit), SQLValue(part.offset)])
        return Listed(try elements.map(read), total: try count("\(table.name) WHERE server = $1", [SQLValue(server)]))
    }

    func removeGiven(to id: ClientID, of server: ServerID, limit: Int) throws -> Int {
        let client = [SQLValue(server), SQLValue.text(id.text)]
        let grants = try connection.query(
            "SELECT id, session, account FROM oauth_grant WHERE server = $1 AND client = $2 LIMIT $3", client + [SQLValue(limit)])
        for grant in grants {
            // Families go with their grants. What an opaque token says is asked of its grant; it goes at its time.
            try connection.execute("DELETE FROM oauth_grant WHERE id = $1", [try grant.value("id")])
            try connection.execute("DELETE FROM oauth_logout WHERE session = $1 AND client = $2", [try grant.value("session"), client[1]])
            try removeSubject(of: try grant.value("account"))
        }
        let consents = try connection.execute(
            """
            DELETE FROM oauth_consent WHERE (account, server, client, api) IN (
                SELECT account, server, client, api FROM oauth_consent WHERE server = $1 AND client = $2 LIMIT $3)
            """, client + [SQLValue(limit)])
        forgetAll()
        return max(grants.count, consents)
    }

    func removeApplication(_ id: ClientID, of server: ServerID) throws {
        let client = [SQLValue(server), SQLValue.text(id.text)]
        _ = try removeGiven(to: id, of: server, limit: .max)
        // Of these there is a day's at most.
        for table in ["oauth_code", "oauth_pushed", "oauth_polled"] {
            try connection.write("DELETE FROM \(table) WHERE server = $1 AND client = $2", client)
        }
        try connection.write("DELETE FROM oauth_client WHERE server = $1 AND id = $2", client)
        try adopt(id, of: server)
        forgetAll()
        knownApplications.forget()
    }

    func removeAPI(_ identifier: APIIdentifier, of server: ServerID, at now: Instant) throws {
        let api = [SQLValue(server), SQLValue.text(identifier.text)]
        try connection.write(
            "UPDATE oauth_grant SET revoked_at = $3 WHERE server = $1 AND api = $2 AND revoked_at IS NULL", api + [SQLValue(now)])
        try connection.write("DELETE FROM oauth_consent WHERE server = $1 AND api = $2", api)
        try connection.write("DELETE FROM oauth_api WHERE server = $1 AND identifier = $2", api)
        knownGrants.forget()
        knownAPIs.forget()
    }

    func removeRole(_ name: String, of server: ServerID) throws {
        try connection.write("DELETE FROM oauth_role WHERE server = $1 AND name = $2", [SQLValue(server), .text(name)])
        knownRoles.forget()
    }

    func removeUser(_ userID: String, of server: ServerID) throws {
        try connection.write("DELETE FROM oauth_user WHERE server = $1 AND user_id = $2", [SQLValue(server), .text(userID)])
        knownUsers.forget()
    }

    func record(_ entry: AuditEntry) throws {
        recorded.append(try AuditColumns.add(entry, on: connection))
    }
}

/// APIs, roles and users as columns.
enum RegistryColumns {
    static let apis = SQLTable(
        "oauth_api", key: ["server", "identifier"],
        columns: ["name", "scopes", "form", "algorithm", "life", "session_life", "offline", "skips_consent", "checks_permissions", "claims"])
    /// The statement that reads one, by its server and its identifier.
    static let oneAPI = apis.selection + "WHERE server = $1 AND identifier = $2"
    static let roles = SQLTable("oauth_role", key: ["server", "name"], columns: ["permissions"])
    static let users = SQLTable("oauth_user", key: ["server", "user_id"], columns: ["name", "picture", "email", "email_verified", "roles"])

    static func api(_ row: SQLRow) throws -> ProtectedAPI {
        let identifier = try SQLRow.required(APIIdentifier(try row.text("identifier")), "identifier")
        var api = ProtectedAPI(identifier: identifier, server: try row.identifier("server"), name: try row.text("name"))
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
        api.addedClaims = try Dictionary(
            uniqueKeysWithValues: row.lines("claims").map { line in
                let (name, source) = SQLRow.keyed(line)
                return (try SQLRow.required(ClaimName(name), "claims"), try SQLRow.required(ClaimSource(rawValue: source), "claims"))
            })
        return api
    }

    static func values(of api: ProtectedAPI) -> [SQLValue] {
        [
            SQLValue(api.server), .text(api.identifier.text), .text(api.name),
            TextColumns.lines(api.scopes.map { "\($0.scope.text) \($0.words)" }), .text(api.form.rawValue), .text(api.algorithm.rawValue),
            SQLValue(api.life), SQLValue(api.sessionLife), SQLValue(api.allowsOfflineAccess), SQLValue(api.firstPartySkipsConsent),
            SQLValue(api.checksPermissions),
            TextColumns.lines(api.addedClaims.sorted { $0.key.text < $1.key.text }.map { "\($0.key.text) \($0.value.rawValue)" }),
        ]
    }

    static func role(_ row: SQLRow) throws -> Role {
        Role(server: try row.identifier("server"), name: try row.text("name"), permissions: try row.scopesByAPI("permissions"))
    }

    static func values(of role: Role) -> [SQLValue] { [SQLValue(role.server), .text(role.name), TextColumns.scopes(byAPI: role.permissions)] }

    static func user(_ row: SQLRow) throws -> ProviderUser {
        let profile = ProfileClaims(
            name: try row.optionalText("name"), picture: try row.optionalText("picture"), email: try row.optionalText("email"),
            isEmailVerified: try row.bool("email_verified"))
        return ProviderUser(
            server: try row.identifier("server"), userID: try row.text("user_id"), profile: profile, roles: Set(try row.lines("roles")))
    }

    static func values(of user: ProviderUser) -> [SQLValue] {
        [
            SQLValue(user.server), .text(user.userID), SQLValue(user.profile.name), SQLValue(user.profile.picture), SQLValue(user.profile.email),
            SQLValue(user.profile.isEmailVerified), TextColumns.lines(user.roles.sorted()),
        ]
    }
}
