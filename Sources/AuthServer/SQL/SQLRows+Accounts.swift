import Authentication
import Database
import OstiaryProtocol

extension SQLRows {
    private static let columns = [
        "id", "server", "user_id", "display_name", "device", "app", "device_key", "instance", "created_at", "otp_reference", "otp_key", "state",
        "blocked", "activated_at", "last_login", "activation_cache",
    ]
    private static let upsert = Upsert("account", key: ["id"], columns: columns)
    private static let selection = "SELECT \(columns.joined(separator: ", ")) FROM account"

    func account(_ id: AccountID) throws -> Account? { try accounts("WHERE id = $1", [SQLValue(id)]).first }

    func accounts(ofUser userID: String, at server: ServerID) throws -> [Account] {
        try accounts("WHERE server = $1 AND user_id = $2 ORDER BY created_at, id", [SQLValue(server), .text(userID)])
    }

    func accounts(ofInstance instance: InstanceID) throws -> [Account] {
        try accounts("WHERE instance = $1 ORDER BY created_at, id", [SQLValue(instance)])
    }

    private func accounts(_ condition: String, _ arguments: [SQLValue]) throws -> [Account] {
        try all("\(Self.selection) \(condition)", arguments) { columns in
            let id = try columns.identifier(AccountKind.self)
            return Account(
                id: id, server: try columns.identifier(), userID: try columns.optionalText(), displayName: try columns.text(),
                device: try columns.text(), app: try columns.text(), deviceKey: try columns.blob(), instance: try columns.identifier(),
                createdAt: try columns.instant(), otpReference: try columns.number(),
                otpKey: try unwrap(try columns.blob(), "account/otp-key", id.bytes), state: try columns.choice(), isBlocked: try columns.bool(),
                activatedAt: try columns.optionalInstant(), lastLogin: try columns.optionalInstant(), hasActivationCache: try columns.bool())
        }
    }

    func save(_ account: Account) throws {
        try connection.execute(
            Self.upsert.sql,
            [
                SQLValue(account.id), SQLValue(account.server), SQLValue(account.userID), .text(account.displayName), .text(account.device),
                .text(account.app), .blob(account.deviceKey), SQLValue(account.instance), SQLValue(account.createdAt),
                SQLValue(number: account.otpReference), .blob(try wrap(account.otpKey, "account/otp-key", account.id.bytes)),
                SQLValue(account.state), SQLValue(account.isBlocked), SQLValue(account.activatedAt), SQLValue(account.lastLogin),
                SQLValue(account.hasActivationCache),
            ])
    }

    func bury(_ account: AccountID, of server: ServerID, at now: Instant) throws {
        try connection.execute("DELETE FROM account WHERE id = $1", [SQLValue(account)])
        try connection.execute("DELETE FROM pin_cache WHERE account = $1", [SQLValue(account)])
        try connection.execute("DELETE FROM notice WHERE account = $1", [SQLValue(account)])
        try connection.execute(
            "INSERT INTO grave (id, server, since) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING",
            [SQLValue(account), SQLValue(server), SQLValue(now)])
    }

    func grave(of account: AccountID) throws -> BuriedAccount? {
        guard var columns = try one("SELECT server, since FROM grave WHERE id = $1", [SQLValue(account)]) else { return nil }
        return BuriedAccount(id: account, server: try columns.identifier(), since: try columns.instant())
    }

    func isTaken(otpReference: UInt32, at server: ServerID) throws -> Bool {
        try one("SELECT 1 FROM account WHERE server = $1 AND otp_reference = $2", [SQLValue(server), SQLValue(number: otpReference)]) != nil
    }

    func cache(of account: AccountID) throws -> PINCache? {
        let sql = "SELECT hash, expires_at, single_use, methods, verified_at FROM pin_cache WHERE account = $1"
        guard var columns = try one(sql, [SQLValue(account)]) else { return nil }
        return PINCache(
            account: account, hash: try columns.blob(), expiresAt: try columns.instant(), isSingleUse: try columns.bool(),
            methods: try columns.choice(), verifiedAt: try columns.instant())
    }

    private static let cacheUpsert = Upsert(
        "pin_cache", key: ["account"], columns: ["account", "hash", "expires_at", "single_use", "methods", "verified_at"])

    func save(_ cache: PINCache) throws {
        try connection.execute(
            Self.cacheUpsert.sql,
            [
                SQLValue(cache.account), .blob(cache.hash), SQLValue(cache.expiresAt), SQLValue(cache.isSingleUse), SQLValue(cache.methods),
                SQLValue(cache.verifiedAt),
            ])
    }

    func removeCache(of account: AccountID) throws {
        try connection.execute("DELETE FROM pin_cache WHERE account = $1", [SQLValue(account)])
    }

    func add(_ notice: StoredNotice) throws {
        let told = notice.notice
        try connection.execute(
            "INSERT INTO notice (account, id, kind, device, time) VALUES ($1, $2, $3, $4, $5)",
            [SQLValue(notice.account), SQLValue(told.id), SQLValue(told.subject), .text(told.device), SQLValue(told.time)])
    }

    func keepNewestNotices(_ count: Int, of subject: DeviceNotice.Subject, for account: AccountID) throws {
        try connection.execute(
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
        return try all(sql, [SQLValue(account), SQLValue(number: DeviceNotice.mostAtOnce)]) { columns in
            DeviceNotice(try columns.choice(), id: try columns.identifier(), device: try columns.text(), time: try columns.instant())
        }
    }

    func removeNotices(_ ids: [NoticeID], for account: AccountID) throws {
        for id in ids { try connection.execute("DELETE FROM notice WHERE account = $1 AND id = $2", [SQLValue(account), SQLValue(id)]) }
    }
}
