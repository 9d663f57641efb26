import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// How many grants one client may have.
extension SQLOAuthRows {
    private static let overflow = """
        UPDATE oauth_grant SET revoked_at = $4 WHERE id IN (
            SELECT g.id FROM oauth_grant g JOIN oauth_family f ON f.grant_id = g.id
            WHERE g.owner = $1 AND g.client = $2 AND g.id <> $3 AND g.held_by = \(GrantColumns.heldByDevice)
            AND g.revoked_at IS NULL ORDER BY f.used_at DESC, f.created_at DESC, g.id LIMIT $5 OFFSET $6)
        """

    func endOverflow(beside grant: Grant, keeping kept: Int, at now: Instant) throws -> Int {
        let count = try connection.execute(
            Self.overflow,
            [
                SQLValue(grant.holder.account), .text(grant.client.text), SQLValue(grant.id), SQLValue(now), SQLValue(Int.max), SQLValue(kept),
            ])
        if count > 0 { knownGrants.forget() }
        return count
    }

    private static let sessionOverflow = """
        DELETE FROM oauth_grant WHERE id IN (
            SELECT id FROM oauth_grant WHERE holder = $1 AND held_by = \(GrantColumns.heldBySession) AND client = $2 AND COALESCE(api, '') = $3
            AND id <> $4 AND revoked_at IS NULL ORDER BY created_at DESC, id LIMIT $5 OFFSET $6)
        """

    func removeOverflow(beside grant: Grant, keeping kept: Int) throws {
        guard case .session(let session, _) = grant.holder else { return }
        let count = try connection.execute(
            Self.sessionOverflow,
            [
                SQLValue(session), .text(grant.client.text), .text(grant.api?.text ?? ""), SQLValue(grant.id), SQLValue(Int.max), SQLValue(kept),
            ])
        if count > 0 { knownGrants.forget() }
    }
}

/// What an operator looks at and ends.
extension SQLOAuthRows {
    /// Grants that may be good, after `$1`, the server, and `$2`, the moment, as what stands behind `FROM`. A block ended what it was to end. The server of a
    /// grant is its account's: asked for by itself it would have the database look at everything that a client has there.
    private static let given = """
        oauth_grant g JOIN account a ON a.id = g.owner AND a.server = $1 LEFT JOIN oauth_family f ON f.grant_id = g.id
        WHERE g.revoked_at IS NULL AND (g.held_by = \(GrantColumns.heldByDevice) OR EXISTS (
            SELECT 1 FROM session s WHERE s.id = g.holder AND s.state = \(SessionColumns.States.loggedIn) AND s.deadline >= $2))
        """

    private static let givenColumns = "\(GrantColumns.table.list("g.")), a.user_id AS given_by, f.used_at AS given_used"

    func grants(_ selection: GivenSelection, at server: ServerID, _ part: ListPart, now: Instant) throws -> Listed<GivenGrant> {
        let condition = Condition(selection, giver: "g.owner", client: "g.client", server: "g.server", after: [SQLValue(server), SQLValue(now)])
        let grants = try connection.query(
            "SELECT \(Self.givenColumns) FROM \(Self.given) \(condition.text) ORDER BY g.created_at, g.id \(condition.part)",
            condition.arguments + [SQLValue(part.limit), SQLValue(part.offset)])
        return Listed(try grants.map(Self.givenGrant), total: try count("\(Self.given) \(condition.text)", condition.arguments))
    }

    func givenGrant(_ id: GrantID, at server: ServerID, now: Instant) throws -> GivenGrant? {
        try connection.one(
            "SELECT \(Self.givenColumns) FROM \(Self.given) AND g.id = $3", [SQLValue(server), SQLValue(now), SQLValue(id)]
        ).map(Self.givenGrant)
    }

    private static func givenGrant(_ row: SQLRow) throws -> GivenGrant {
        GivenGrant(
            grant: try GrantColumns.read(row), userID: try row.optionalText("given_by"), usedAt: try row.optionalInstant("given_used"))
    }

    func endGrants(_ selection: GivenSelection, at server: ServerID, now: Instant) throws -> [AccountID] {
        let condition = Condition(selection, giver: "g.owner", client: "g.client", server: "g.server", after: [SQLValue(server), SQLValue(now)])
        return try end(where: condition.text, condition.arguments)
    }

    func endGrant(_ id: GrantID, at server: ServerID, now: Instant) throws -> [AccountID] {
        try end(where: "AND g.id = $3", [SQLValue(server), SQLValue(now), SQLValue(id)])
    }

    private func end(where condition: String, _ arguments: [SQLValue]) throws -> [AccountID] {
        defer { knownGrants.forget() }
        return try connection.query(
            "UPDATE oauth_grant SET revoked_at = $2, ended = 1 WHERE id IN (SELECT g.id FROM \(Self.given) \(condition)) RETURNING account", arguments
        ).map { try $0.identifier("account") }
    }

    /// After `$1`, the server: its account's, as above. Asked for by itself SQLite would look, for one person, at all that anybody agreed to there. So it goes by
    /// their accounts, and the key of the table: an index by person has nothing to add.
    private static let agreed = "oauth_consent c JOIN account a ON a.id = c.account WHERE a.server = $1"

    func consents(_ selection: GivenSelection, at server: ServerID, _ part: ListPart) throws -> Listed<GivenConsent> {
        let condition = Condition(selection, giver: "c.account", client: "c.client", server: "c.server", after: [SQLValue(server)])
        let consents = try connection.query(
            """
            SELECT c.account, c.client, c.api, c.scopes, c.given_at, a.user_id AS given_by FROM \(Self.agreed) \(condition.text)
            ORDER BY c.account, c.client, c.api \(condition.part)
            """, condition.arguments + [SQLValue(part.limit), SQLValue(part.offset)])
        return Listed(
            try consents.map { row in
                let api = try row.text("api")
                return GivenConsent(
                    consent: Consent(
                        account: try row.identifier("account"), client: try row.client("client"), api: api.isEmpty ? nil : try row.optionalAPI("api"),
                        scopes: try row.scopes("scopes"), givenAt: try row.instant("given_at")), userID: try row.optionalText("given_by"))
            }, total: try count("\(Self.agreed) \(condition.text)", condition.arguments))
    }

    func removeConsents(_ selection: GivenSelection, at server: ServerID) throws -> [AccountID] {
        let condition = Condition(selection, giver: "c.account", client: "c.client", server: "c.server", after: [SQLValue(server)])
        return try connection.query(
            """
            DELETE FROM oauth_consent WHERE (account, server, client, api) IN (
                SELECT c.account, c.server, c.client, c.api FROM \(Self.agreed) \(condition.text)) RETURNING account
            """, condition.arguments
        ).map { try $0.identifier("account") }
    }

    /// Who gave, and to whom, as a condition behind others.
    private struct Condition {
        let text: String
        /// Those of the conditions before it, and its own.
        let arguments: [SQLValue]

        /// - Parameters:
        ///   - giver: the column of the account; `a` is its row.
        ///   - client: the column of the client.
        ///   - server: the column of the server.
        ///   - former: the arguments of what stands before it, of which the first is the server.
        init(_ selection: GivenSelection, giver: String, client: String, server: String, after former: [SQLValue]) {
            let parts: [(column: String, value: SQLValue)] =
                switch selection {
                case .byAccount(let account, let taker): [(giver, SQLValue(account))] + (taker.map { [(client, .text($0.text))] } ?? [])
                case .byUser(let userID, let taker): [("a.user_id", .text(userID))] + (taker.map { [(client, .text($0.text))] } ?? [])
                case .toClient(let taker): [(client, .text(taker.text))]
                }
            let own = parts.enumerated().map { "AND \($1.column) = $\(former.count + $0 + 1)" }.joined(separator: " ")
            if case .toClient = selection { text = "AND \(server) = $1 \(own)" } else { text = own }
            arguments = former + parts.map(\.value)
        }

        /// The part of a list, whose limit and offset are the arguments after these.
        var part: String { "LIMIT $\(arguments.count + 1) OFFSET $\(arguments.count + 2)" }
    }
}
