import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// What was given on grants, and what was shown once.
extension SQLOAuthRows {
    private static let codes = SQLTable(
        "oauth_code", key: ["server", "hash"],
        columns: ["client", "grant_id", "redirect_uri", "challenge", "bound_key", "expires_at", "redeemed_by"])

    func code(hash: [UInt8], of server: ServerID) throws -> AuthorizationCode? {
        try knownCodes.row(Key(server: server, name: hash)) {
            try connection.one(Self.codes.selection + "WHERE server = $1 AND hash = $2", [SQLValue(server), .blob(hash)]).map { row in
                AuthorizationCode(
                    hash: hash, server: server, client: try row.client("client"), grant: try row.identifier("grant_id"),
                    redirectURI: try row.optionalText("redirect_uri"),
                    challenge: try SQLRow.required(CodeChallenge(stored: try row.blob("challenge")), "challenge"),
                    boundKey: try row.optionalThumbprint("bound_key"), expiresAt: try row.instant("expires_at"),
                    redeemedBy: try row.optionalIdentifier("redeemed_by"))
            }
        }
    }

    func save(_ code: AuthorizationCode) throws {
        try knownCodes.save(
            code, as: Key(server: code.server, name: code.hash),
            values: { code in
                [
                    SQLValue(code.server), .blob(code.hash), .text(code.client.text), SQLValue(code.grant), SQLValue(code.redirectURI),
                    .blob(code.challenge.hash), TextColumns.thumbprint(code.boundKey), SQLValue(code.expiresAt), SQLValue(code.redeemedBy),
                ]
            }, by: Self.codes.saver(on: connection))
    }

    private static let tokens = SQLTable("oauth_token", key: ["server", "hash"], columns: ["grant_id", "claims", "expires_at"])

    func opaqueToken(hash: [UInt8], of server: ServerID) throws -> OpaqueToken? {
        try knownTokens.row(Key(server: server, name: hash)) {
            try connection.one(Self.tokens.selection + "WHERE server = $1 AND hash = $2", [SQLValue(server), .blob(hash)]).map { row in
                OpaqueToken(hash: hash, claims: try Self.claims(try row.text("claims")), grant: try row.optionalIdentifier("grant_id"))
            }
        }
    }

    private static func claims(_ text: String) throws -> AccessTokenClaims {
        guard let object = try? JSONReader.object(Array(text.utf8)), let claims = try? AccessTokenClaims(object) else {
            throw SQLError.outOfRange("claims")
        }
        return claims
    }

    func save(_ token: OpaqueToken, of server: ServerID) throws {
        try knownTokens.save(
            token, as: Key(server: server, name: token.hash),
            values: { token in
                [
                    SQLValue(server), .blob(token.hash), SQLValue(token.grant), .text(String(decoding: token.claims.json.encoded, as: UTF8.self)),
                    SQLValue(token.claims.expiresAt),
                ]
            }, by: Self.tokens.saver(on: connection))
    }

    func isRevoked(tokenID: String, of server: ServerID) throws -> Bool {
        try connection.one("SELECT 1 FROM oauth_revoked WHERE server = $1 AND token_id = $2", [SQLValue(server), .text(tokenID)]) != nil
    }

    func revoke(tokenID: String, of server: ServerID, until: Instant) throws {
        try connection.write(
            "INSERT INTO oauth_revoked (server, token_id, until) VALUES ($1, $2, $3) ON CONFLICT (server, token_id) DO NOTHING",
            [SQLValue(server), .text(tokenID), SQLValue(until)])
    }

    func spend(_ key: [UInt8], by redemption: RedemptionID, until: Instant) throws -> Bool {
        let count = try connection.execute(
            "INSERT INTO oauth_spent (key, spent_by, until) VALUES ($1, $2, $3) ON CONFLICT (key) DO NOTHING",
            [.blob(key), SQLValue(redemption), SQLValue(until)])
        guard count == 0 else { return true }
        // By this very call, when it looks again.
        return try connection.one("SELECT 1 FROM oauth_spent WHERE key = $1 AND spent_by = $2", [.blob(key), SQLValue(redemption)]) != nil
    }
}

/// Families of refresh tokens. The tokens are nowhere.
extension SQLOAuthRows {
    private static let families = SQLTable(
        "oauth_family", key: ["grant_id"],
        columns: ["server", "client", "bound_to", "bound_key", "absolute", "idle", "created_at", "generation", "renewed_at", "used_at"])

    private enum BoundTo: UInt8 {
        case nothing, client, key
    }

    func family(of grant: GrantID) throws -> RefreshFamily? {
        try knownFamilies.row(grant) {
            try connection.one(Self.families.selection + "WHERE grant_id = $1", [SQLValue(grant)]).map(Self.family)
        }
    }

    /// The next ones by their grants, for whoever goes over all of them.
    func families(after grant: GrantID?, limit: Int) throws -> [RefreshFamily] {
        let sql = Self.families.selection + "WHERE grant_id > $1 ORDER BY grant_id LIMIT $2"
        return try connection.query(sql, [grant.map { SQLValue($0) } ?? .blob([]), SQLValue(limit)]).map(Self.family)
    }

    private static func family(_ row: SQLRow) throws -> RefreshFamily {
        RefreshFamily(
            grant: try row.identifier("grant_id"), server: try row.identifier("server"), client: try row.client("client"), binding: try binding(row),
            life: RefreshLife(absolute: try row.optionalUnsigned("absolute"), idle: try row.optionalUnsigned("idle")),
            createdAt: try row.instant("created_at"), generation: try row.number("generation"), renewedAt: try row.instant("renewed_at"),
            usedAt: try row.instant("used_at"))
    }

    private static func binding(_ row: SQLRow) throws -> RefreshFamily.Binding {
        switch try row.choice("bound_to", as: BoundTo.self) {
        case .nothing: .none
        case .client: .client
        case .key: .key(try SQLRow.required(try row.optionalThumbprint("bound_key"), "bound_key"))
        }
    }

    func save(_ family: RefreshFamily) throws {
        try knownFamilies.save(family, as: family.grant, values: Self.values, by: Self.families.saver(on: connection))
    }

    private static func values(of family: RefreshFamily) -> [SQLValue] {
        let (bound, key): (BoundTo, Thumbprint?) =
            switch family.binding {
            case .none: (.nothing, nil)
            case .client: (.client, nil)
            case .key(let key): (.key, key)
            }
        return [
            SQLValue(family.grant), SQLValue(family.server), .text(family.client.text), SQLValue(bound), TextColumns.thumbprint(key),
            SQLValue(family.life.absolute), SQLValue(family.life.idle), SQLValue(family.createdAt), SQLValue(number: family.generation),
            SQLValue(family.renewedAt), SQLValue(family.usedAt),
        ]
    }
}
