import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import Synchronization

/// Forgetting. A row goes strictly after the last second in which it says anything: what may be used once is kept through that second, and what was used
/// for longer, so that a second use is still seen.
enum ProviderRetention {
    /// Seconds for which a code that was spent is known after its end: who shows it again takes back what it gave.
    static let spentCode: UInt64 = 86_400
    /// The same of what a client polled for, and for how long a client's requests are counted (`BackchannelLimit.day`).
    static let polled = BackchannelLimit.day
    /// The same of a device code that anybody may have begun and nobody decided: its client hears that it is over, and there is nothing else to know.
    static let undecidedDevice: UInt64 = 600
    /// Seconds after its turn for which a notice stays that was put off, where its grant has gone.
    static let postponed: UInt64 = 86_400
    /// Seconds for which a request that was sent ahead is there for the page that began with it, which lives no longer.
    static let pushed: UInt64 = 1_800
}

extension SQLOAuthRows {
    /// At most `limit` of each kind; answers how many of the kind went of which most did, and how far it has come with refresh tokens.
    /// - Parameter former: how far it had come with these before.
    func removeExpired(at now: Instant, limit: Int, after former: GrantID?) throws -> ExpiryRound {
        forgetAll()
        let last = try endSpentFamilies(after: former, at: now, limit: limit)
        let counts = [
            try removeUnredeemedCodes(at: now, limit: limit),
            try remove(from: "oauth_code", key: "hash", where: "expires_at", before: now - ProviderRetention.spentCode, limit),
            try remove(from: "oauth_token", key: "hash", where: "expires_at", before: now, limit),
            try remove(from: "oauth_revoked", key: "token_id", where: "until", before: now, limit),
            try connection.execute(
                "DELETE FROM oauth_spent WHERE key IN (SELECT key FROM oauth_spent WHERE until < $1 LIMIT $2)", [SQLValue(now), SQLValue(limit)]),
            try remove(from: "oauth_pushed", key: "hash", where: "expires_at", before: now - ProviderRetention.pushed, limit),
            try removePolled(at: now, limit: limit),
            try removeUndecidedDevices(at: now, limit: limit),
            try remove(from: "oauth_initial_token", key: "hash", where: "expires_at", before: now, limit),
            try removeTries(at: now, limit: limit),
            try removeGrants(limit: limit),
            try removeOrphanedNotices(at: now, limit: limit),
            // When the grants that are over have gone, which are no use of a client.
            try removeUnusedClients(at: now, limit: limit),
        ]
        return ExpiryRound(count: counts.max() ?? 0, last: last)
    }

    private func remove(from table: String, key: String, where column: String, before moment: Instant, _ limit: Int) throws -> Int {
        try connection.execute(
            """
            DELETE FROM \(table) WHERE (server, \(key)) IN (SELECT server, \(key) FROM \(table) WHERE \(column) < $1 ORDER BY \(column) LIMIT $2)
            """, [SQLValue(moment), SQLValue(limit)])
    }

    /// What was granted by a code that nobody redeemed in time is nobody's, and nobody is to be told of its end.
    private func removeUnredeemedCodes(at now: Instant, limit: Int) throws -> Int {
        let codes = try connection.query(
            "SELECT server, hash, grant_id FROM oauth_code WHERE redeemed_by IS NULL AND expires_at < $1 LIMIT $2", [SQLValue(now), SQLValue(limit)])
        for code in codes {
            let gone = try connection.query("DELETE FROM oauth_grant WHERE id = $1 RETURNING account", [try code.value("grant_id")])
            for grant in gone { try removeSubject(of: try grant.value("account")) }
            try connection.execute("DELETE FROM oauth_code WHERE server = $1 AND hash = $2", [try code.value("server"), try code.value("hash")])
        }
        return codes.count
    }

    /// The same of what a person let a client do that never came for it.
    private func removePolled(at now: Instant, limit: Int) throws -> Int {
        let polled = try connection.query(
            "SELECT server, hash, grant_id, state = \(PolledColumns.approved) AS waits FROM oauth_polled WHERE expires_at < $1 LIMIT $2",
            [SQLValue(now - ProviderRetention.polled), SQLValue(limit)])
        for authorization in polled {
            if try authorization.bool("waits") { try revoke(grantOf: authorization, at: now) }
            try connection.execute(
                "DELETE FROM oauth_polled WHERE server = $1 AND hash = $2", [try authorization.value("server"), try authorization.value("hash")])
        }
        return polled.count
    }

    private func removeUndecidedDevices(at now: Instant, limit: Int) throws -> Int {
        try connection.execute(
            """
            DELETE FROM oauth_polled WHERE (server, hash) IN (SELECT server, hash FROM oauth_polled
            WHERE place IS NOT NULL AND state = \(PolledColumns.pending) AND expires_at < $1 ORDER BY expires_at LIMIT $2)
            """, [SQLValue(now - ProviderRetention.undecidedDevice), SQLValue(limit)])
    }

    /// Takes back what was given with refresh tokens that are over by their own times, when nothing else of it is good either: so it goes like anything else that
    /// was taken back, and its person's consent stays. No index finds these, so they are gone over in the order of their grants.
    /// - Returns: the last one that was looked at; nil at the end of them.
    private func endSpentFamilies(after former: GrantID?, at now: Instant, limit: Int) throws -> GrantID? {
        let families = try families(after: former, limit: limit)
        for family in families where family.isSpent(at: now) {
            try connection.write(
                "UPDATE oauth_grant SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL", [SQLValue(family.grant), SQLValue(now)])
        }
        return families.count < limit ? nil : families.last?.grant
    }

    private func revoke(grantOf row: SQLRow, at now: Instant) throws {
        try connection.write(
            "UPDATE oauth_grant SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL", [try row.value("grant_id"), SQLValue(now)])
    }

    /// What can stand no more, and of whose end nobody is to be told: its session is gone, its account is, or it was taken back and hangs on no session
    /// in which the same grant could be asked for again.
    private static let over = """
        SELECT g.id, g.account FROM oauth_grant g WHERE (
            g.holder IS NULL AND g.held_by = \(GrantColumns.heldBySession)
            OR g.owner IS NULL
            OR g.revoked_at IS NOT NULL AND g.held_by = \(GrantColumns.heldByDevice))
        AND (g.told = 1 OR NOT EXISTS (
            SELECT 1 FROM oauth_client c WHERE c.server = g.server AND c.id = g.client AND c.logout_uri IS NOT NULL)) LIMIT $1
        """

    private func removeGrants(limit: Int) throws -> Int {
        let grants = try connection.query(Self.over, [SQLValue(limit)])
        for grant in grants {
            try connection.execute("DELETE FROM oauth_grant WHERE id = $1", [try grant.value("id")])
            try removeSubject(of: try grant.value("account"))
        }
        return grants.count
    }

    /// What was to be said once more of a grant that is gone: its client has no address any more, or its code was never redeemed. One that is still to be said
    /// is due within the hour, unless nobody has worked for that long.
    private func removeOrphanedNotices(at now: Instant, limit: Int) throws -> Int {
        try connection.execute(
            """
            DELETE FROM oauth_logout WHERE (session, client) IN (SELECT l.session, l.client FROM oauth_logout l WHERE l.due_at < $1
            AND NOT EXISTS (SELECT 1 FROM oauth_grant g WHERE g.session = l.session AND g.client = l.client) ORDER BY l.due_at LIMIT $2)
            """, [SQLValue(now - ProviderRetention.postponed), SQLValue(limit)])
    }

    /// Forgets what an account was called, unless the account is there, or a grant of it.
    func removeSubject(of account: SQLValue) throws {
        try connection.write(
            """
            DELETE FROM oauth_subject WHERE account = $1 AND NOT EXISTS (SELECT 1 FROM account WHERE id = $1)
            AND NOT EXISTS (SELECT 1 FROM oauth_grant WHERE account = $1)
            """, [account])
    }

    /// Brings to the present what a clock wrote that ran ahead: it lives as long as if it had been written now.
    func bringBack(from ahead: Instant, to now: Instant) throws {
        forgetAll()
        for (sql, life) in [
            ("UPDATE oauth_code SET expires_at = $1 WHERE expires_at > $2", AuthorizationCode.life),
            ("UPDATE oauth_pushed SET expires_at = $1 WHERE expires_at > $2", PushedRequest.life),
        ] {
            try connection.write(sql, [SQLValue(now + life), SQLValue(ahead + life)])
        }
        let (then, now) = (now, SQLValue(now))
        // Nobody is asked by what was begun in a time that has not come.
        try connection.write(
            "UPDATE oauth_polled SET created_at = $1, expires_at = $1, polled_at = NULL WHERE created_at > $2", [now, SQLValue(ahead)])
        try connection.write("UPDATE oauth_polled SET ping_due = $1 WHERE ping_due > $2", [now, SQLValue(ahead + Self.longestDelay)])
        try connection.write("UPDATE oauth_logout SET due_at = $1 WHERE due_at > $2", [now, SQLValue(ahead + Self.longestDelay)])
        try connection.write("UPDATE oauth_registered SET used_at = $1 WHERE used_at > $2", [now, SQLValue(ahead)])
        // From when the tries in them count they say by themselves.
        try connection.write(
            "UPDATE oauth_tries SET until = $1 WHERE until > $2", [SQLValue(then + TryBudget.longest), SQLValue(ahead + TryBudget.longest)])
    }

    private static let familyMoments = ["created_at", "renewed_at", "used_at"]

    /// Whether there are refresh tokens of a clock that ran ahead. There may be one for each account, and no index leads there.
    func hasFamilies(writtenAfter moment: Instant) throws -> Bool {
        let isAhead = Self.familyMoments.map { "\($0) > $1" }.joined(separator: " OR ")
        return try connection.one("SELECT 1 AS found FROM oauth_family WHERE \(isAhead) LIMIT 1", [SQLValue(moment)]) != nil
    }

    func bringFamiliesBack(from ahead: Instant, to now: Instant) throws {
        knownFamilies.forget()
        for column in Self.familyMoments {
            try connection.write("UPDATE oauth_family SET \(column) = $1 WHERE \(column) > $2", [SQLValue(now), SQLValue(ahead)])
        }
    }

    /// Seconds by which something that was said in vain is put off at most.
    private static let longestDelay: UInt64 = 3_600

    /// Rows are changed without being named.
    func forgetAll() {
        knownGrants.forget()
        knownFamilies.forget()
        knownCodes.forget()
        knownTokens.forget()
        knownPushed.forget()
        knownPolled.forget()
    }
}

extension SQLOAuthStore: MomentKeeper {
    package func bringBack(from ahead: Instant, to now: Instant) async throws {
        // Beside those who write: as a rule there are none.
        let hasFamilies = try await look { rows in try rows.hasFamilies(writtenAfter: ahead) }
        try await rows { rows in
            try rows.bringBack(from: ahead, to: now)
            if hasFamilies { try rows.bringFamiliesBack(from: ahead, to: now) }
        }
    }

    package func removeExpired(at now: Instant, limit: Int) async throws -> Int {
        let former = familyRound.last
        let round = try await rows { rows in try rows.removeExpired(at: now, limit: limit, after: former) }
        familyRound.last = round.last
        return round.count
    }
}

/// What housekeeping has done in one transaction.
struct ExpiryRound: Sendable {
    /// How many rows went of the kind of which most did.
    let count: Int
    /// The grant of the last refresh token that it has looked at; nil at the end of them.
    let last: GrantID?
}

/// How far housekeeping has come in going over all refresh tokens. Whoever begins anew begins that anew.
final class FamilyRound: Sendable {
    private let state = Mutex<GrantID?>(nil)

    var last: GrantID? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
