import Authentication
import Database
import OAuthProvider
import OstiaryProtocol

/// What lets clients register themselves, and which did.
extension SQLOAuthRows {
    private static let policies = SQLTable("oauth_registration", key: ["server"], columns: ["mode", "apis", "most", "unused_days"])
    private static let tokens = SQLTable("oauth_initial_token", key: ["server", "hash"], columns: ["expires_at", "uses_left"])
    /// Seconds after which it is looked again whether a client is used. A grant is there for longer than that.
    private static let lookAgain: UInt64 = 3_600

    func registrationPolicy(of server: ServerID) throws -> RegistrationPolicy? {
        try connection.one(Self.policies.selection + "WHERE server = $1", [SQLValue(server)]).map { row in
            var policy = RegistrationPolicy(server: server)
            policy.mode = try row.word("mode")
            policy.apis = try row.scopesByAPI("apis")
            policy.most = try row.number("most")
            policy.unusedDays = try row.number("unused_days")
            return policy
        }
    }

    func save(_ policy: RegistrationPolicy) throws {
        try Self.policies.save(
            [
                SQLValue(policy.server), .text(policy.mode.rawValue), TextColumns.scopes(byAPI: policy.apis), SQLValue(number: policy.most),
                SQLValue(number: policy.unusedDays),
            ], on: connection)
    }

    func initialToken(hash: [UInt8], of server: ServerID) throws -> InitialAccessToken? {
        try connection.one(Self.tokens.selection + "WHERE server = $1 AND hash = $2", [SQLValue(server), .blob(hash)]).map { row in
            InitialAccessToken(hash: hash, server: server, expiresAt: try row.instant("expires_at"), usesLeft: try row.number("uses_left"))
        }
    }

    func save(_ token: InitialAccessToken) throws {
        try Self.tokens.save(
            [SQLValue(token.server), .blob(token.hash), SQLValue(token.expiresAt), SQLValue(number: token.usesLeft)], on: connection)
    }

    func initialTokenCount(of server: ServerID, at now: Instant) throws -> Int {
        try count("oauth_initial_token WHERE server = $1 AND expires_at > $2 AND uses_left > 0", [SQLValue(server), SQLValue(now)])
    }

    func removeInitialTokens(of server: ServerID) throws {
        try connection.write("DELETE FROM oauth_initial_token WHERE server = $1", [SQLValue(server)])
    }

    func noteRegistered(_ client: ClientID, of server: ServerID, at now: Instant) throws {
        try connection.write(
            "INSERT INTO oauth_registered (server, client, used_at) VALUES ($1, $2, $3) ON CONFLICT (server, client) DO NOTHING",
            [SQLValue(server), .text(client.text), SQLValue(now)])
    }

    func adopt(_ client: ClientID, of server: ServerID) throws {
        try connection.write("DELETE FROM oauth_registered WHERE server = $1 AND client = $2", [SQLValue(server), .text(client.text)])
    }

    func isRegistered(_ client: ClientID, of server: ServerID) throws -> Bool {
        try connection.one("SELECT 1 FROM oauth_registered WHERE server = $1 AND client = $2", [SQLValue(server), .text(client.text)]) != nil
    }

    func registeredCount(of server: ServerID) throws -> Int { try count("oauth_registered WHERE server = $1", [SQLValue(server)]) }

    /// Takes away clients that registered themselves and were not used for as long as the policy says. One is used while anybody has a grant of it,
    /// which is there for a day after its session: so each use is seen, and no call of a client writes down that it was.
    func removeUnusedClients(at now: Instant, limit: Int) throws -> Int {
        try connection.execute(
            """
            UPDATE oauth_registered SET used_at = $1 WHERE used_at < $2
            AND EXISTS (SELECT 1 FROM oauth_grant g WHERE g.server = oauth_registered.server AND g.client = oauth_registered.client)
            """, [SQLValue(now), SQLValue(now - Self.lookAgain)])
        let least = UInt64(RegistryService.unusedDays.lowerBound) * 86_400
        // By its index: nobody goes sooner than the shortest time that a policy can say.
        let unused = try connection.query(
            """
            SELECT r.server, r.client FROM oauth_registered r LEFT JOIN oauth_registration p ON p.server = r.server
            WHERE r.used_at < $4 AND r.used_at + 86400 * COALESCE(p.unused_days, $1) < $2 LIMIT $3
            """, [SQLValue(number: RegistrationPolicy.usualUnusedDays), SQLValue(now), SQLValue(limit), SQLValue(now - least)])
        for row in unused {
            let (client, server): (ClientID, ServerID) = (try row.client("client"), try row.identifier("server"))
            try removeApplication(client, of: server)
            try record(AuditEntry(.applicationRemoved, server: server, by: .server, at: now))
        }
        return unused.count
    }
}
