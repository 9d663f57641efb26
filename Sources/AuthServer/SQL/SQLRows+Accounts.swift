import Authentication
import Database
import OstiaryProtocol

extension SQLRows {
    private static let table = SQLTable(
        "account", key: ["id"],
        columns: [
            "server", "user_id", "display_name", "device", "app", "device_key", "instance", "created_at", "otp_reference", "otp_key", "state",
            "blocked", "activated_at", "last_login", "activation_cache",
        ])

    func account(_ id: AccountID) throws -> Account? {
        try knownAccounts.row(id) { try accounts("WHERE id = $1", [SQLValue(id)]).first }
    }

    func accounts(ofUser userID: String, at server: ServerID) throws -> [Account] {
        try accounts("WHERE server = $1 AND user_id = $2 ORDER BY created_at, id", [SQLValue(server), .text(userID)])
    }

    func accounts(ofInstance instance: InstanceID) throws -> [Account] {
        try accounts("WHERE instance = $1 ORDER BY created_at, id", [SQLValue(instance)])
    }

    private func accounts(_ condition: String, _ arguments: [SQLValue]) throws -> [Account] {
        try connection.query(Self.table.selection + condition, arguments).map { row in
            let account = try account(row)
            knownAccounts.note(account, as: account.id)
            return account
        }
    }

    private func account(_ row: SQLRow) throws -> Account {
        let id = try row.identifier("id", of: AccountKind.self)
        return Account(
            id: id, server: try row.identifier("server"), userID: try row.optionalText("user_id"), displayName: try row.text("display_name"),
            device: try row.text("device"), app: try row.text("app"), deviceKey: try row.blob("device_key"),
            instance: try StoredInstance.read(row, "instance"), createdAt: try row.instant("created_at"),
            otpReference: try row.number("otp_reference"),
            otpKey: secret(try row.blob("otp_key"), "account/otp-key", id.bytes), state: try row.choice("state"),
            isBlocked: try row.bool("blocked"), activatedAt: try row.optionalInstant("activated_at"),
            lastLogin: try row.optionalInstant("last_login"), hasActivationCache: try row.bool("activation_cache"))
    }

    func save(_ account: Account) throws {
        // One that nobody looked for may be there: it is counted once.
        if try self.account(account.id) == nil { accountsMade[account.server, default: 0] += 1 }
        try knownAccounts.save(account, as: account.id, values: values, by: Self.table.saver(on: connection))
    }

    private func values(of account: Account) throws -> [SQLValue] {
        [
            SQLValue(account.id), SQLValue(account.server), SQLValue(account.userID), .text(account.displayName), .text(account.device),
            .text(account.app), .blob(account.deviceKey), StoredInstance.value(account.instance), SQLValue(account.createdAt),
            SQLValue(number: account.otpReference), .blob(try wrapped(account.otpKey, "account/otp-key", account.id.bytes)), SQLValue(account.state),
            SQLValue(account.isBlocked), SQLValue(account.activatedAt), SQLValue(account.lastLogin), SQLValue(account.hasActivationCache),
        ]
    }

    /// Counts what was made and deleted. One row for all accounts of a virtual server: whoever has changed it keeps out all others who make or delete one, so it
    /// comes last, and of several servers in one order (docs/decisions/0075).
    func finish() throws {
        for (server, made) in accountsMade.sorted(by: { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }) where made != 0 {
            let arguments = [SQLValue(server), .integer(Int64(made))]
            guard made > 0 else {
                try connection.write("UPDATE account_count SET accounts = accounts + $2 WHERE server = $1", arguments)
                continue
            }
            try connection.write(
                """
                INSERT INTO account_count (server, accounts) VALUES ($1, $2)
                ON CONFLICT (server) DO UPDATE SET accounts = account_count.accounts + excluded.accounts
                """, arguments)
        }
        accountsMade = [:]
    }

    func markDeleted(_ account: AccountID, of server: ServerID, at now: Instant) throws {
        for gone in try connection.query("DELETE FROM account WHERE id = $1 RETURNING server", [SQLValue(account)]) {
            let owner: ServerID = try gone.identifier("server")
            accountsMade[owner, default: 0] -= 1
        }
        try connection.write("DELETE FROM pin_cache WHERE account = $1", [SQLValue(account)])
        try connection.write("DELETE FROM notice WHERE account = $1", [SQLValue(account)])
        // What tokens call it stays for as long as there is a grant of it, which takes it along.
        try connection.write(
            "DELETE FROM oauth_subject WHERE account = $1 AND NOT EXISTS (SELECT 1 FROM oauth_grant WHERE account = $1)", [SQLValue(account)])
        try connection.write(
            "INSERT INTO grave (id, server, since) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING",
            [SQLValue(account), SQLValue(server), SQLValue(now)])
        knownAccounts.note(nil, as: account)
    }

    func deletedAccount(_ id: AccountID) throws -> DeletedAccount? {
        try connection.one("SELECT server, since FROM grave WHERE id = $1", [SQLValue(id)]).map { row in
            DeletedAccount(id: id, server: try row.identifier("server"), since: try row.instant("since"))
        }
    }

    func removeDeleted(before moment: Instant, limit: Int) throws -> Int {
        let oldest = "SELECT id FROM grave WHERE since < $1 ORDER BY since, id LIMIT $2"
        let arguments = [SQLValue(moment), SQLValue(limit)]
        // Programs before schema 43 left some of those that had no grant.
        try connection.execute(
            """
            DELETE FROM oauth_subject WHERE account IN (\(oldest))
            AND NOT EXISTS (SELECT 1 FROM oauth_grant g WHERE g.account = oauth_subject.account)
            """, arguments)
        return try connection.execute("DELETE FROM grave WHERE id IN (\(oldest))", arguments)
    }

    func isTaken(otpReference: UInt32, at server: ServerID) throws -> Bool {
        let sql = """
            SELECT 1 FROM account WHERE server = $1 AND otp_reference = $2 UNION ALL
            SELECT 1 FROM offline_tries WHERE server = $1 AND reference = $2 AND reserved_until IS NOT NULL LIMIT 1
            """
        return try connection.one(sql, [SQLValue(server), SQLValue(number: otpReference)]) != nil
    }

    func account(otpReference: UInt32, at server: ServerID) throws -> Account? {
        try accounts("WHERE server = $1 AND otp_reference = $2", [SQLValue(server), SQLValue(number: otpReference)]).first
    }

    func endLastingGrants(of account: AccountID, at now: Instant) throws {
        try connection.write(
            "UPDATE oauth_grant SET revoked_at = $2 WHERE owner = $1 AND held_by = \(GrantColumns.heldByDevice) AND revoked_at IS NULL",
            [SQLValue(account), SQLValue(now)])
    }

    func cache(of account: AccountID) throws -> FactorCache? {
        let sql = "SELECT hash, expires_at, single_use, methods, verified_at FROM pin_cache WHERE account = $1"
        return try connection.one(sql, [SQLValue(account)]).map { row in
            FactorCache(
                account: account, hash: try row.blob("hash"), expiresAt: try row.instant("expires_at"), isSingleUse: try row.bool("single_use"),
                methods: try row.choice("methods"), verifiedAt: try row.instant("verified_at"))
        }
    }

    private static let caches = SQLTable(
        "pin_cache", key: ["account"], columns: ["hash", "expires_at", "single_use", "methods", "verified_at"])

    func save(_ cache: FactorCache) throws {
        try Self.caches.save(
            [
                SQLValue(cache.account), .blob(cache.hash), SQLValue(cache.expiresAt), SQLValue(cache.isSingleUse), SQLValue(cache.methods),
                SQLValue(cache.verifiedAt),
            ], on: connection)
    }

    func removeCache(of account: AccountID) throws {
        try connection.write("DELETE FROM pin_cache WHERE account = $1", [SQLValue(account)])
    }

    func add(_ notice: StoredNotice) throws {
        let told = notice.notice
        try connection.write(
            "INSERT INTO notice (account, id, kind, device, time) VALUES ($1, $2, $3, $4, $5)",
            [SQLValue(notice.account), SQLValue(told.id), SQLValue(told.subject), .text(told.device), SQLValue(told.time)])
    }

    func keepNewestNotices(_ count: Int, of subject: DeviceNotice.Subject, for account: AccountID) throws {
        try connection.write(
            """
            DELETE FROM notice WHERE account = $1 AND kind = $2 AND position NOT IN
            (SELECT position FROM notice WHERE account = $1 AND kind = $2 ORDER BY position DESC LIMIT $3)
            """,
            [SQLValue(account), SQLValue(subject), SQLValue(number: count)])
    }

    func notices(for account: AccountID) throws -> [DeviceNotice] {
        let sql = """
            SELECT kind, id, device, time FROM notice AS told WHERE account = $1 AND position IN
            (SELECT position FROM notice WHERE account = $1 AND kind = told.kind ORDER BY position LIMIT $2) ORDER BY position
            """
        return try connection.query(sql, [SQLValue(account), SQLValue(number: DeviceNotice.mostAtOnce)]).map { row in
            DeviceNotice(try row.choice("kind"), id: try row.identifier("id"), device: try row.text("device"), time: try row.instant("time"))
        }
    }

    func removeNotices(_ ids: [NoticeID], for account: AccountID) throws {
        for id in ids { try connection.write("DELETE FROM notice WHERE account = $1 AND id = $2", [SQLValue(account), SQLValue(id)]) }
    }
}
