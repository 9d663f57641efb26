import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// What an operator writes of APIs, roles and users.
extension SQLOAuthRows {
    func api(_ identifier: APIIdentifier, of server: ServerID) throws -> ProtectedAPI? {
        let key = Key(server: server, name: identifier)
        return try knownAPIs.row(key) {
            try connection.one(RegistryColumns.oneAPI, [SQLValue(server), .text(identifier.text)])
                .map { try readings.apis.value(of: $0, as: key, read: RegistryColumns.api) }
        }
    }

    func save(_ api: ProtectedAPI) throws {
        try knownAPIs.save(
            api, as: Key(server: api.server, name: api.identifier), values: RegistryColumns.values(of:),
            by: RegistryColumns.apis.saver(on: connection))
    }

    func role(_ name: String, of server: ServerID) throws -> Role? {
        try knownRoles.row(Key(server: server, name: name)) {
            try connection.one(RegistryColumns.roles.selection + "WHERE server = $1 AND name = $2", [SQLValue(server), .text(name)])
                .map(RegistryColumns.role)
        }
    }

    func save(_ role: Role) throws {
        try knownRoles.save(
            role, as: Key(server: role.server, name: role.name), values: RegistryColumns.values(of:),
            by: RegistryColumns.roles.saver(on: connection))
    }

    func user(_ userID: String, of server: ServerID) throws -> ProviderUser? {
        try knownUsers.row(Key(server: server, name: userID)) {
            try connection.one(RegistryColumns.users.selection + "WHERE server = $1 AND user_id = $2", [SQLValue(server), .text(userID)])
                .map(RegistryColumns.user)
        }
    }

    func save(_ user: ProviderUser) throws {
        try knownUsers.save(
            user, as: Key(server: user.server, name: user.userID), values: RegistryColumns.values(of:),
            by: RegistryColumns.users.saver(on: connection))
    }

    func roles(of account: AccountID, at server: ServerID) throws -> Set<String> {
        let sql = "SELECT user_id FROM account WHERE id = $1 AND server = $2 AND user_id IS NOT NULL"
        guard let row = try connection.one(sql, [SQLValue(account), SQLValue(server)]) else { return [] }
        return try user(try row.text("user_id"), of: server)?.roles ?? []
    }
}
