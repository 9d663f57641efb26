import Database

/// The tables of the OAuth and OpenID Connect provider (docs/decisions/0021). `account` and `session` are joined and never copied.
extension AuthenticationSchema {
    static func providerTables(_ d: SQLDialect) -> [String] { registryTables(d) + grantTables(d) + tokenTables(d) + underWayTables(d) }

    /// What an operator writes.
    private static func registryTables(_ d: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE oauth_client (
                server \(d.blob) NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, site_url TEXT NOT NULL,
                first_party \(d.integer) NOT NULL, enabled \(d.integer) NOT NULL, redirect_uris TEXT NOT NULL, post_logout_uris TEXT NOT NULL,
                logout_uri TEXT, authentication TEXT NOT NULL, secrets TEXT NOT NULL, keys TEXT NOT NULL, grant_types TEXT NOT NULL,
                apis TEXT NOT NULL, serves TEXT NOT NULL, requires_dpop \(d.integer) NOT NULL, requires_pushed \(d.integer) NOT NULL,
                rs256_assertions \(d.integer) NOT NULL, id_token_algorithm TEXT NOT NULL, delivery TEXT, refresh_absolute \(d.integer),
                refresh_idle \(d.integer), PRIMARY KEY (server, id)
            ) \(d.tableOptions)
            """,
            """
            CREATE TABLE oauth_api (
                server \(d.blob) NOT NULL, identifier TEXT NOT NULL, name TEXT NOT NULL, scopes TEXT NOT NULL, form TEXT NOT NULL,
                algorithm TEXT NOT NULL, life \(d.integer) NOT NULL, session_life \(d.integer) NOT NULL, offline \(d.integer) NOT NULL,
                skips_consent \(d.integer) NOT NULL, checks_permissions \(d.integer) NOT NULL, PRIMARY KEY (server, identifier)
            ) \(d.tableOptions)
            """,
            """
            CREATE TABLE oauth_role (
                server \(d.blob) NOT NULL, name TEXT NOT NULL, permissions TEXT NOT NULL, PRIMARY KEY (server, name)
            ) \(d.tableOptions)
            """,
            """
            CREATE TABLE oauth_user (
                server \(d.blob) NOT NULL, user_id TEXT NOT NULL, name TEXT, picture TEXT, email TEXT, email_verified \(d.integer) NOT NULL,
                roles TEXT NOT NULL, PRIMARY KEY (server, user_id)
            ) \(d.tableOptions)
            """,
        ]
    }

    /// `holder` and `owner` are what a grant hangs on while that is there. The database empties them when the session or the account goes, so that what
    /// is left is found by an index; `session` and `account` stay, for those who are still to be told.
    private static func grantTables(_ d: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE oauth_subject (
                account \(d.blob) NOT NULL PRIMARY KEY, server \(d.blob) NOT NULL, subject TEXT NOT NULL
            ) \(d.keyedTableOptions)
            """,
            "CREATE INDEX oauth_subject_name ON oauth_subject (server, subject)",
            """
            CREATE TABLE oauth_grant (
                id \(d.blob) NOT NULL PRIMARY KEY, server \(d.blob) NOT NULL, client TEXT NOT NULL, account \(d.blob) NOT NULL,
                session \(d.blob) NOT NULL, held_by \(d.integer) NOT NULL, holder \(d.blob) REFERENCES session (id) ON DELETE SET NULL,
                owner \(d.blob) REFERENCES account (id) ON DELETE SET NULL, scopes TEXT NOT NULL, api TEXT, auth_time \(d.integer) NOT NULL,
                acr TEXT NOT NULL, amr TEXT NOT NULL, nonce TEXT, created_at \(d.integer) NOT NULL, revoked_at \(d.integer),
                told \(d.integer) NOT NULL DEFAULT 0
            ) \(d.tableOptions)
            """,
            "CREATE INDEX oauth_grant_holder ON oauth_grant (holder, held_by)",
            "CREATE INDEX oauth_grant_owner ON oauth_grant (owner)",
            "CREATE INDEX oauth_grant_account ON oauth_grant (account)",
            "CREATE INDEX oauth_grant_session ON oauth_grant (session)",
            "CREATE INDEX oauth_grant_untold ON oauth_grant (server, client) WHERE told = 0",
            "CREATE INDEX oauth_grant_revoked ON oauth_grant (revoked_at) WHERE revoked_at IS NOT NULL",
            """
            CREATE TABLE oauth_family (
                grant_id \(d.blob) NOT NULL PRIMARY KEY REFERENCES oauth_grant (id) ON DELETE CASCADE, server \(d.blob) NOT NULL,
                client TEXT NOT NULL, bound_to \(d.integer) NOT NULL, bound_key \(d.blob), absolute \(d.integer), idle \(d.integer),
                created_at \(d.integer) NOT NULL, generation \(d.integer) NOT NULL, renewed_at \(d.integer) NOT NULL,
                used_at \(d.integer) NOT NULL
            ) \(d.tableOptions)
            """,
            """
            CREATE TABLE oauth_consent (
                account \(d.blob) NOT NULL REFERENCES account (id) ON DELETE CASCADE, server \(d.blob) NOT NULL, client TEXT NOT NULL,
                api TEXT NOT NULL, scopes TEXT NOT NULL, PRIMARY KEY (account, server, client, api)
            ) \(d.keyedTableOptions)
            """,
            """
            CREATE TABLE oauth_logout (
                session \(d.blob) NOT NULL, client TEXT NOT NULL, since \(d.integer) NOT NULL, attempts \(d.integer) NOT NULL,
                due_at \(d.integer) NOT NULL, PRIMARY KEY (session, client)
            ) \(d.keyedTableOptions)
            """,
        ]
    }

    /// What one person let one client do is found by an index, and so is what one client got of everybody, with that of which it is still to be told. `ended`:
    /// by an operator, of which the client is to hear. Who is blocked was before a block ended anything.
    static func givenGrants(_ d: SQLDialect) -> [String] {
        [
            "DROP INDEX oauth_grant_owner",
            "CREATE INDEX oauth_grant_owner ON oauth_grant (owner, client)",
            // Beside one of these two the database takes the other, and looks at whatever was told.
            "DROP INDEX oauth_grant_untold",
            "CREATE INDEX oauth_grant_client ON oauth_grant (server, client, told)",
            "ALTER TABLE oauth_grant ADD COLUMN ended \(d.integer) NOT NULL DEFAULT 0",
            """
            UPDATE oauth_grant SET revoked_at = created_at WHERE revoked_at IS NULL AND held_by = \(GrantColumns.heldByDevice)
            AND owner IN (SELECT id FROM account WHERE blocked = 1)
            """,
        ]
    }

    /// What backends are to be told is found by when it became due; and by going over the grants of a client, so many at a time, in the order of their ids.
    static func logoutIndexes(_ d: SQLDialect) -> [String] {
        [
            "DROP INDEX oauth_grant_client", "CREATE INDEX oauth_grant_client ON oauth_grant (server, client, told, id)",
            "CREATE INDEX oauth_logout_due ON oauth_logout (due_at)",
            // And who let a client do something, when it is taken away.
            "CREATE INDEX oauth_consent_client ON oauth_consent (server, client)",
        ]
    }

    /// What was given on grants, and what may be shown once.
    private static func tokenTables(_ d: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE oauth_code (
                server \(d.blob) NOT NULL, hash \(d.blob) NOT NULL, client TEXT NOT NULL, grant_id \(d.blob) NOT NULL, redirect_uri TEXT,
                challenge \(d.blob) NOT NULL, bound_key \(d.blob), expires_at \(d.integer) NOT NULL, redeemed_by \(d.blob),
                PRIMARY KEY (server, hash)
            ) \(d.keyedTableOptions)
            """,
            "CREATE INDEX oauth_code_expiry ON oauth_code (expires_at)",
            "CREATE INDEX oauth_code_unspent ON oauth_code (expires_at) WHERE redeemed_by IS NULL",
            """
            CREATE TABLE oauth_token (
                server \(d.blob) NOT NULL, hash \(d.blob) NOT NULL, grant_id \(d.blob), claims TEXT NOT NULL, expires_at \(d.integer) NOT NULL,
                PRIMARY KEY (server, hash)
            ) \(d.keyedTableOptions)
            """,
            "CREATE INDEX oauth_token_expiry ON oauth_token (expires_at)",
            """
            CREATE TABLE oauth_revoked (
                server \(d.blob) NOT NULL, token_id TEXT NOT NULL, until \(d.integer) NOT NULL, PRIMARY KEY (server, token_id)
            ) \(d.keyedTableOptions)
            """,
            "CREATE INDEX oauth_revoked_until ON oauth_revoked (until)",
            """
            CREATE TABLE oauth_spent (
                key \(d.blob) NOT NULL PRIMARY KEY, spent_by \(d.blob) NOT NULL, until \(d.integer) NOT NULL
            ) \(d.keyedTableOptions)
            """,
            "CREATE INDEX oauth_spent_until ON oauth_spent (until)",
        ]
    }

    /// Authorizations that nobody has given yet.
    private static func underWayTables(_ d: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE oauth_pushed (
                server \(d.blob) NOT NULL, hash \(d.blob) NOT NULL, client TEXT NOT NULL, parameters TEXT NOT NULL,
                expires_at \(d.integer) NOT NULL, spent \(d.integer) NOT NULL, PRIMARY KEY (server, hash)
            ) \(d.tableOptions)
            """,
            "CREATE INDEX oauth_pushed_expiry ON oauth_pushed (expires_at)",
            """
            CREATE TABLE oauth_polled (
                server \(d.blob) NOT NULL, hash \(d.blob) NOT NULL, client TEXT NOT NULL, way \(d.integer) NOT NULL, user_code_hash \(d.blob),
                account \(d.blob), scopes TEXT NOT NULL, api TEXT, strengths TEXT NOT NULL, binding_message TEXT,
                created_at \(d.integer) NOT NULL, expires_at \(d.integer) NOT NULL, pause \(d.integer) NOT NULL, polled_at \(d.integer),
                polled_by \(d.blob), state \(d.integer) NOT NULL, grant_id \(d.blob), redeemed_by \(d.blob), ping_address TEXT,
                ping_token \(d.blob), ping_request \(d.blob), ping_since \(d.integer), ping_attempts \(d.integer), ping_due \(d.integer),
                ping_settled \(d.integer) NOT NULL DEFAULT 0, PRIMARY KEY (server, hash)
            ) \(d.tableOptions)
            """,
            "CREATE INDEX oauth_polled_code ON oauth_polled (server, user_code_hash) WHERE user_code_hash IS NOT NULL",
            "CREATE INDEX oauth_polled_account ON oauth_polled (account, created_at) WHERE account IS NOT NULL",
            "CREATE INDEX oauth_polled_ping ON oauth_polled (expires_at) WHERE ping_address IS NOT NULL AND ping_settled = 0",
            "CREATE INDEX oauth_polled_expiry ON oauth_polled (expires_at)",
        ]
    }

    /// When a person agreed, by which an exchange after a withdrawal is told from the one before; and of an account's wrong numbers the sessions that have any.
    static func consentMoment(_ d: SQLDialect) -> [String] {
        [
            "ALTER TABLE oauth_consent ADD COLUMN given_at \(d.integer) NOT NULL DEFAULT 0",
            "CREATE INDEX session_wrong_numbers ON session (preselected, started_at) WHERE wrong_numbers > 0",
        ]
    }

    /// What an operator lets tokens of an API say, and what a client asked for beside its scopes.
    static let claimColumns = ["oauth_api ADD COLUMN claims", "oauth_grant ADD COLUMN asked"].map { "ALTER TABLE \($0) TEXT NOT NULL DEFAULT ''" }

    /// Sessions that the server begins for one account, and which authorization one is for.
    static func pushColumns(_ d: SQLDialect) -> [String] {
        [
            "ALTER TABLE session ADD COLUMN open_for \(d.integer)", "ALTER TABLE session ADD COLUMN wrong_numbers \(d.integer)",
            // Open or claimed.
            "CREATE INDEX session_waiting ON session (preselected, started_at) WHERE open_for IS NOT NULL AND state IN (0, 1)",
            "ALTER TABLE oauth_polled ADD COLUMN session \(d.blob)",
            // Clients that are to be told, and whose person has not decided.
            """
            CREATE INDEX oauth_polled_undecided ON oauth_polled (expires_at)
            WHERE state = 0 AND session IS NOT NULL AND ping_address IS NOT NULL
            """,
        ]
    }
}
