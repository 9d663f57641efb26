import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

extension SQLOAuthRows {
    func application(_ id: ClientID, of server: ServerID) throws -> Application? {
        let key = Key(server: server, name: id)
        return try knownApplications.row(key) {
            try connection.one(ApplicationColumns.one, [SQLValue(server), .text(id.text)])
                .map { try readings.applications.value(of: $0, as: key, read: ApplicationColumns.read) }
        }
    }

    func save(_ application: Application) throws {
        try knownApplications.save(
            application, as: Key(server: application.server, name: application.id), values: ApplicationColumns.values,
            by: ApplicationColumns.table.saver(on: connection))
    }
}

/// An application as columns.
enum ApplicationColumns {
    static let table = SQLTable(
        "oauth_client", key: ["server", "id"],
        columns: [
            "kind", "name", "site_url", "first_party", "enabled", "redirect_uris", "post_logout_uris", "logout_uri", "authentication", "secrets",
            "keys", "grant_types", "apis", "serves", "requires_dpop", "requires_pushed", "rs256_assertions", "id_token_algorithm", "delivery",
            "refresh_absolute", "refresh_idle",
        ])

    /// The statement that reads one, by its server and its id.
    static let one = table.selection + "WHERE server = $1 AND id = $2"

    static func values(of application: Application) -> [SQLValue] {
        let delivery: String? =
            switch application.backchannel {
            case nil: nil
            case .poll: ""
            case .ping(let address): address
            }
        return [
            SQLValue(application.server), .text(application.id.text), .text(application.kind.rawValue), .text(application.name),
            .text(application.siteURL), SQLValue(application.isFirstParty), SQLValue(application.isEnabled),
            TextColumns.lines(application.redirectURIs.map(\.text)), TextColumns.lines(application.postLogoutRedirectURIs.sorted()),
            SQLValue(application.backchannelLogoutURI), .text(application.authentication.rawValue),
            TextColumns.lines(application.secrets.map(line)), .text(String(decoding: application.keys.json.encoded, as: UTF8.self)),
            TextColumns.words(application.grantTypes.map(\.rawValue).sorted()), TextColumns.scopes(byAPI: application.apis),
            TextColumns.words(application.serves.map(\.text).sorted()), SQLValue(application.requiresDPoP),
            SQLValue(application.requiresPushedRequests), SQLValue(application.mayAssertByRS256), .text(application.idTokenAlgorithm.rawValue),
            SQLValue(delivery), SQLValue(application.refreshLife.absolute), SQLValue(application.refreshLife.idle),
        ]
    }

    static func read(_ row: SQLRow) throws -> Application {
        let kind: Application.Kind = try row.word("kind")
        var application = Application(
            id: try row.client("id"), server: try row.identifier("server"), kind: kind, name: try row.text("name"),
            authentication: try row.word("authentication"))
        application.siteURL = try row.text("site_url")
        application.isFirstParty = try row.bool("first_party")
        application.isEnabled = try row.bool("enabled")
        application.redirectURIs = try row.lines("redirect_uris").map { RedirectURI(stored: $0, ofApp: kind == .native) }
        application.postLogoutRedirectURIs = Set(try row.lines("post_logout_uris"))
        application.backchannelLogoutURI = try row.optionalText("logout_uri")
        application.secrets = try row.lines("secrets").map(secret)
        application.keys = try keys(row)
        application.grantTypes = Set(try row.words("grant_types", as: GrantType.self))
        application.apis = try row.scopesByAPI("apis")
        application.serves = Set(try row.words("serves").map { try SQLRow.required(APIIdentifier($0), "serves") })
        application.requiresDPoP = try row.bool("requires_dpop")
        application.requiresPushedRequests = try row.bool("requires_pushed")
        application.mayAssertByRS256 = try row.bool("rs256_assertions")
        application.idTokenAlgorithm = try row.word("id_token_algorithm")
        application.backchannel = try row.optionalText("delivery").map { $0.isEmpty ? .poll : .ping($0) }
        application.refreshLife = RefreshLife(
            absolute: try row.optionalUnsigned("refresh_absolute"), idle: try row.optionalUnsigned("refresh_idle"))
        return application
    }

    private static func keys(_ row: SQLRow) throws -> JWKSet {
        do { return try JWKSet(json: Array(try row.text("keys").utf8)) } catch is JSONError { throw SQLError.outOfRange("keys") }
    }

    /// The hash, and the second of its end if it has one.
    private static func line(of secret: ClientSecret) -> String {
        "\(Base64URL.encode(secret.hash)) \(secret.expiresAt.map { String($0.seconds) } ?? "")"
    }

    private static func secret(_ line: String) throws -> ClientSecret {
        let (key, rest) = SQLRow.keyed(line)
        let end = rest.isEmpty ? nil : Instant(try SQLRow.required(UInt64(rest), "secrets"))
        return ClientSecret(hash: try SQLRow.required(Base64URL.decode(key), "secrets"), expiresAt: end)
    }
}
