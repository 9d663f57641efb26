/// Where role and database are there, and PostgreSQL lets nobody in by them, or nobody more.
extension PostgreSQLAddress {
    func adviceOnRight(_ refusal: String) -> String? {
        if refusal.contains("is not permitted to log in") {
            return "let it (ALTER ROLE \(roleWritten) LOGIN, as a superuser of PostgreSQL), or mend the user in the database URL"
        }
        if refusal.contains("permission denied for database") {
            return "let the role in (GRANT CONNECT ON DATABASE \(databaseWritten) TO \(roleWritten), as its owner or a superuser of PostgreSQL), or "
                + "mend user and database in the URL"
        }
        guard refusal.contains("is not currently accepting connections") else { return nil }
        return "somebody keeps everybody out of it, for a restore perhaps: when that is over run ALTER DATABASE \(databaseWritten) "
            + "ALLOW_CONNECTIONS true in another database, as its owner or a superuser of PostgreSQL; or mend the name in the database URL"
    }

    /// Which of the three limits it is that lets no connection in any more, for all of which PostgreSQL has one number (53300).
    func adviceOnLimit(_ refusal: String) -> String? {
        let raising: String? =
            if refusal.contains("too many connections for role") {
                "raise the limit of the role (ALTER ROLE \(roleWritten) CONNECTION LIMIT N, as a superuser of PostgreSQL; -1 is none)"
            } else if refusal.contains("too many connections for database") {
                "raise the limit of the database (ALTER DATABASE \(databaseWritten) CONNECTION LIMIT N, as its owner; -1 is none)"
            } else if refusal.contains("too many clients already") || refusal.contains("remaining connection slots are reserved") {
                "raise max_connections, of which PostgreSQL keeps some for superusers (ALTER SYSTEM SET max_connections = N, then restart PostgreSQL)"
            } else { nil }
        return raising.map {
            "\($0), or give each node fewer (connections in the database URL; a serve has one more); SELECT usename, datname, application_name, "
                + "count(*) FROM pg_stat_activity GROUP BY 1, 2, 3 shows who has them"
        }
    }

    private var databaseWritten: String { TableKeys.written(database) }
    private var roleWritten: String { user.map(TableKeys.written) ?? "ROLE" }
}
