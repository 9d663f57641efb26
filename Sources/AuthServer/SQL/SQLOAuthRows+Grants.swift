import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

extension SQLOAuthRows {
    /// A grant with what it hangs on, in one statement: nothing is copied that could be older than what it was copied from.
    private static let standing = """
        SELECT \(GrantColumns.table.list("g.")), \(PersonColumns.list) FROM oauth_grant g
        JOIN account a ON a.id = g.owner AND \(PersonColumns.usable)
        LEFT JOIN session s ON s.id = g.holder
        LEFT JOIN oauth_api p ON p.server = g.server AND p.identifier = g.api
        \(PersonColumns.joins)
        WHERE g.id = $1 AND g.revoked_at IS NULL AND (
            g.held_by = \(GrantColumns.heldBySession) AND s.state = \(SessionColumns.States.loggedIn) AND s.account = g.account AND s.deadline >= $2
            OR g.held_by = \(GrantColumns.heldByDevice) AND (g.api IS NULL OR p.offline = 1))
        """

    func standing(_ id: GrantID, at now: Instant) throws -> StandingGrant? {
        try connection.one(Self.standing, [SQLValue(id), SQLValue(now)]).map { row in
            let grant = try GrantColumns.read(row)
            knownGrants.note(grant, as: id)
            return StandingGrant(grant: grant, person: try PersonColumns.read(row, grant.holder.account))
        }
    }

    func grant(_ id: GrantID) throws -> Grant? {
        try knownGrants.row(id) {
            try connection.one(GrantColumns.table.selection + "WHERE id = $1", [SQLValue(id)]).map(GrantColumns.read)
        }
    }

    func save(_ grant: Grant) throws {
        // One that is there is never written whole: what it hung on may be gone, and the row knows that.
        _ = try self.grant(grant.id)
        try knownGrants.save(grant, as: grant.id, values: GrantColumns.values, by: GrantColumns.table.saver(on: connection))
    }

    private static let consents = SQLTable("oauth_consent", key: ["account", "server", "client", "api"], columns: ["scopes", "given_at"])

    func consent(of account: AccountID, to client: ClientID, for api: APIIdentifier?, server: ServerID) throws -> Consent? {
        let sql = "SELECT scopes, given_at FROM oauth_consent WHERE account = $1 AND server = $2 AND client = $3 AND api = $4"
        return try connection.one(sql, [SQLValue(account), SQLValue(server), .text(client.text), Self.column(api)]).map { row in
            Consent(account: account, client: client, api: api, scopes: try row.scopes("scopes"), givenAt: try row.instant("given_at"))
        }
    }

    func save(_ consent: Consent, of server: ServerID) throws {
        try Self.consents.save(
            [
                SQLValue(consent.account), SQLValue(server), .text(consent.client.text), Self.column(consent.api), .text(consent.scopes.text),
                SQLValue(consent.givenAt),
            ], on: connection)
    }

    /// In a key nothing is null: no API has the empty name.
    private static func column(_ api: APIIdentifier?) -> SQLValue { .text(api?.text ?? "") }
}

/// A grant as columns.
enum GrantColumns {
    static let table = SQLTable(
        "oauth_grant", key: ["id"],
        columns: [
            "server", "client", "account", "session", "held_by", "holder", "owner", "scopes", "api", "auth_time", "acr", "amr", "nonce", "created_at",
            "revoked_at", "asked",
        ])

    private enum Holder: UInt8 {
        case session = 1
        case device = 2
    }

    static let heldBySession = stateList(Holder.session)
    static let heldByDevice = stateList(Holder.device)

    static func values(of grant: Grant) -> [SQLValue] {
        let (held, holder): (Holder, SessionID?) =
            switch grant.holder {
            case .session(let session, _): (.session, session)
            case .device: (.device, nil)
            }
        return [
            SQLValue(grant.id), SQLValue(grant.server), .text(grant.client.text), SQLValue(grant.holder.account), SQLValue(grant.session),
            SQLValue(held), SQLValue(holder), SQLValue(grant.holder.account), .text(grant.scopes.text), SQLValue(grant.api?.text),
            SQLValue(grant.authentication.time), .text(grant.authentication.acr), TextColumns.words(grant.authentication.amr),
            SQLValue(grant.nonce), SQLValue(grant.createdAt), SQLValue(grant.revokedAt), asked(grant.asked),
        ]
    }

    static func read(_ row: SQLRow) throws -> Grant {
        let (account, session) = (try row.identifier("account", of: AccountKind.self), try row.identifier("session", of: SessionKind.self))
        let holder: GrantHolder =
            switch try row.choice("held_by", as: Holder.self) {
            case .session: .session(session, account)
            case .device: .device(account)
            }
        return Grant(
            id: try row.identifier("id"), server: try row.identifier("server"), client: try row.client("client"), holder: holder,
            scopes: try row.scopes("scopes"), api: try row.optionalAPI("api"),
            authentication: AuthenticationClaims(time: try row.instant("auth_time"), acr: try row.text("acr"), amr: try row.words("amr")),
            nonce: try row.optionalText("nonce"), session: session, createdAt: try row.instant("created_at"),
            asked: try asked(row), revokedAt: try row.optionalInstant("revoked_at"))
    }
    /// What was asked for by name, as words: where, and which claim.
    private static let (inIDToken, atUserInfo) = ("id_token.", "userinfo.")

    private static func asked(_ claims: AskedClaims) -> SQLValue {
        let places = [(inIDToken, claims.idToken), (atUserInfo, claims.userInfo)]
        return TextColumns.words(places.flatMap { place, claims in claims.map { place + $0.rawValue }.sorted() })
    }

    private static func asked(_ row: SQLRow) throws -> AskedClaims {
        let words = try row.words("asked")
        let named = { (place: String) in
            Set(
                try words.filter { $0.hasPrefix(place) }.map {
                    try SQLRow.required(PersonClaim(rawValue: String($0.dropFirst(place.count))), "asked")
                })
        }
        return AskedClaims(idToken: try named(inIDToken), userInfo: try named(atUserInfo))
    }
}
