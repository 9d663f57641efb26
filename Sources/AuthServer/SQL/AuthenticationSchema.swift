import Database

/// The tables of the authentication server, step by step. A step that was released is never edited.
enum AuthenticationSchema {
    static let migrations: [Migration] = [
        Migration(1, "virtual servers and keys") { serverTables($0) },
        Migration(2, "accounts and instances") { accountTables($0) },
        Migration(3, "sessions") { sessionTables($0) },
        Migration(4, "enrolments") { enrolmentTables($0) },
        Migration(5, "requests, closes and audit") { logTables($0) },
        Migration(6, "pages") { pageTables($0) },
        Migration(7, "biometrics and changes of the PIN") { changeTables($0) },
        Migration(8, "what a backend says of a login") { contextTables($0) },
        Migration(9, "what a page says of its login") { d in ["browser", "logo", "account"].map { "ALTER TABLE page ADD COLUMN \($0) \(d.blob)" } },
        Migration(10, "how often a page began anew") { d in ["ALTER TABLE page ADD COLUMN renewal_level \(d.integer) NOT NULL DEFAULT 0"] },
        Migration(11, "notices stay until they were shown") { noticeTables($0) },
        Migration(12, "offers travel with the phones") { offersGo($0) },
        Migration(13, "a login page ends in the browser that began it") { returnTables($0) },
        Migration(14, "what a phone says of itself") { d in
            ["phone_state", "phone_until"].map { "ALTER TABLE session ADD COLUMN \($0) \(d.integer)" }
        },
        Migration(15, "what a restored second-factor server is told") { restoreTables($0) },
        Migration(16, "notices of a PIN that a biometric set") { d in ["ALTER TABLE notice ADD COLUMN kind \(d.integer) NOT NULL DEFAULT 1"] },
        Migration(17, "why a phone gave an enrolment back") { d in ["ALTER TABLE enrolment ADD COLUMN given_back \(d.integer)"] },
        Migration(18, "the page of an enrolment") { d in ["ALTER TABLE enrolment ADD COLUMN page \(d.blob)"] },
        Migration(19, "what each login writes is less") { leanTables($0) },
        Migration(20, "who asks for a login and how strongly, and who did what is in the audit trail") { d in
            requestColumns(d) + ["ALTER TABLE audit ADD COLUMN actor TEXT"]
        },
        Migration(21, "leases, and how many accounts a server has") { d in Lease.tables(d) + countTables(d) },
        Migration(22, "where a person goes who does not go on") { _ in ["ALTER TABLE page ADD COLUMN cancel_url TEXT"] },
        Migration(23, "colours of the pages") { _ in
            ["color", "color_dark"].map { "ALTER TABLE server ADD COLUMN \($0) TEXT NOT NULL DEFAULT ''" }
        },
        Migration(24, "login pages in frames of other sites") { d in frameColumns(d) },
        Migration(25, "which settings were applied") { d in AppliedSettings.tables(d) },
        Migration(26, "pages whose site has logged out") { d in loggedOutColumn(d) },
        Migration(27, "of what a phone was shown at its enrolment the hash is kept", statements: enrolHashColumn, rows: forgetShownEnrolments),
        Migration(28, "the provider of OAuth and OpenID Connect") { d in providerTables(d) },
        Migration(29, "the key that a phone named for its tokens") { d in ["ALTER TABLE session ADD COLUMN token_key \(d.blob)"] },
        Migration(30, "logins that are pushed to a phone") { d in pushColumns(d) },
        Migration(31, "grants that an operator lists and ends, and a block ends") { d in givenGrants(d) },
        Migration(32, "clients that register themselves") { d in registrationTables(d) },
        Migration(33, "when a person agreed, and how many wrong numbers an account had") { d in consentMoment(d) },
        Migration(34, "what backends are to be told is found by when it became due") { d in logoutIndexes(d) },
        Migration(35, "what tokens of an API say of people, and claims that are asked for one by one") { _ in claimColumns },
        Migration(36, "small rows that are found by one key stand in its index") { d in keyedTables(d) },
        Migration(37, "where what waits for a person was begun, so that it is bounded") { d in waitingColumns(d) },
        Migration(38, "what is counted of offline codes") { d in offlineCodes(d) },
        Migration(39, "the service behind a virtual server that gives tokens") { d in tokenServices(d) },
        Migration(40, "the service behind a virtual server that answers devices") { d in dataServices(d) },
        Migration(41, "accounts without a second factor, and their upgrade") { d in headlessColumns(d) },
        Migration(42, "what places tried lately, for all nodes", readableFrom: 41) { d in tryTables(d) },
        Migration(43, "deleted accounts are found by when they were", readableFrom: 41) { _ in graveIndex },
        Migration(shortReceipts, "receipts without what their rows say, nonces without a second index", mayWait: true) { d in smallerRows(d) },
    ]

    private static func serverTables(_ d: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE server (
                id \(d.blob) NOT NULL PRIMARY KEY, public_key \(d.blob) NOT NULL, created_at \(d.integer) NOT NULL, name TEXT NOT NULL,
                logo \(d.blob), logo_hash \(d.blob), ping_time \(d.integer) NOT NULL, pin_timeout \(d.integer) NOT NULL,
                pin_trans_timeout \(d.integer) NOT NULL, flags TEXT NOT NULL, static_qr_age \(d.integer) NOT NULL, app_name TEXT NOT NULL,
                app_android TEXT NOT NULL, app_ios TEXT NOT NULL, app_url TEXT NOT NULL, site_url TEXT NOT NULL, ws_url TEXT NOT NULL,
                owner TEXT NOT NULL
            ) \(d.tableOptions)
            """,
            """
            CREATE TABLE server_key (
                server \(d.blob) NOT NULL REFERENCES server (id), kind TEXT NOT NULL, id \(d.blob) NOT NULL, secret \(d.blob) NOT NULL,
                certificate \(d.blob), not_before \(d.integer) NOT NULL, not_after \(d.integer) NOT NULL, PRIMARY KEY (server, kind, id)
            ) \(d.tableOptions)
            """,
            """
            CREATE TABLE prekey (
                id \(d.integer) NOT NULL PRIMARY KEY, server \(d.blob) NOT NULL REFERENCES server (id), secret \(d.blob) NOT NULL,
                published_until \(d.integer) NOT NULL, erased_at \(d.integer) NOT NULL
            ) \(d.tableOptions)
            """,
            """
            CREATE TABLE second_factor_identity (
                root_hash \(d.blob) NOT NULL PRIMARY KEY, identity \(d.blob) NOT NULL, seen_at \(d.integer) NOT NULL
            ) \(d.tableOptions)
            """,
        ]
    }

    private static func accountTables(_ d: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE account (
                id \(d.blob) NOT NULL PRIMARY KEY, server \(d.blob) NOT NULL, user_id TEXT, display_name TEXT NOT NULL, device TEXT NOT NULL,
                app TEXT NOT NULL, device_key \(d.blob) NOT NULL, instance \(d.blob) NOT NULL, created_at \(d.integer) NOT NULL,
                otp_reference \(d.integer) NOT NULL, otp_key \(d.blob) NOT NULL, state \(d.integer) NOT NULL, blocked \(d.integer) NOT NULL,
                activated_at \(d.integer), last_login \(d.integer), activation_cache \(d.integer) NOT NULL
            ) \(d.tableOptions)
            """,
            "CREATE INDEX account_user ON account (server, user_id)",
            "CREATE INDEX account_instance ON account (instance)",
            "CREATE UNIQUE INDEX account_otp ON account (server, otp_reference)",
            """
            CREATE TABLE grave (
                id \(d.blob) NOT NULL PRIMARY KEY, server \(d.blob) NOT NULL, since \(d.integer) NOT NULL
            ) \(d.tableOptions)
            """,
            """
            CREATE TABLE pin_cache (
                account \(d.blob) NOT NULL PRIMARY KEY, hash \(d.blob) NOT NULL, expires_at \(d.integer) NOT NULL, single_use \(d.integer) NOT NULL,
                methods \(d.integer) NOT NULL, verified_at \(d.integer) NOT NULL
            ) \(d.tableOptions)
            """,
            """
            CREATE TABLE notice (
                position \(d.countedKey), account \(d.blob) NOT NULL, device TEXT NOT NULL, time \(d.integer) NOT NULL
            ) \(d.tableOptions)
            """,
            "CREATE INDEX notice_account ON notice (account)",
            """
            CREATE TABLE instance (
                id \(d.blob) NOT NULL PRIMARY KEY, server \(d.blob) NOT NULL, last \(d.integer) NOT NULL, open_attempt \(d.blob),
                open_blinded_hash \(d.blob), open_since \(d.integer), relayed_attempt \(d.blob), relayed_number \(d.integer), receipt \(d.blob)
            ) \(d.tableOptions)
            """,
            """
            CREATE TABLE instance_epoch (
                instance \(d.blob) NOT NULL REFERENCES instance (id) ON DELETE CASCADE, number \(d.integer) NOT NULL, share \(d.blob) NOT NULL,
                second_factor_key \(d.blob) NOT NULL, PRIMARY KEY (instance, number)
            ) \(d.tableOptions)
            """,
        ]
    }

    /// A grave is what is left of a deleted account: its phone, which may come late, is told by it that the account was deleted, and deletes its side; an
    /// answer that was lost is given again by it. It goes when the operator says (`deleted_account_days`), and carries nothing of a person.
    ///
    /// Built on a table that is there: only who deletes an account waits for it. `IF NOT EXISTS` finds one that an operator has built before (docs/decisions/0051).
    private static let graveIndex = ["CREATE INDEX IF NOT EXISTS grave_since ON grave (since)"]

    private static func changeTables(_ d: SQLDialect) -> [String] {
        [
            "ALTER TABLE instance ADD COLUMN biometric_key \(d.blob)",
            "ALTER TABLE instance ADD COLUMN evaluated_attempt \(d.blob)",
            "ALTER TABLE instance ADD COLUMN evaluated_epoch \(d.integer)",
            "ALTER TABLE instance ADD COLUMN evaluated_made_at \(d.integer)",
            "ALTER TABLE instance ADD COLUMN change_decision \(d.blob)",
            "ALTER TABLE instance ADD COLUMN change_answer \(d.blob)",
            """
            CREATE TABLE pin_change (
                instance \(d.blob) NOT NULL PRIMARY KEY REFERENCES instance (id) ON DELETE CASCADE, attempt \(d.blob) NOT NULL,
                account \(d.blob) NOT NULL, methods \(d.integer) NOT NULL, verified_at \(d.integer) NOT NULL, epoch \(d.integer) NOT NULL,
                share \(d.blob) NOT NULL, set_attempt \(d.blob), set_epoch \(d.integer), set_made_at \(d.integer)
            ) \(d.tableOptions)
            """,
        ]
    }

    private static func restoreTables(_ d: SQLDialect) -> [String] {
        [
            "ALTER TABLE instance ADD COLUMN pin_receipt \(d.blob)",
            """
            CREATE TABLE pending_leave (
                device_key \(d.blob) NOT NULL PRIMARY KEY, instance \(d.blob) NOT NULL, server \(d.blob) NOT NULL, since \(d.integer) NOT NULL,
                attempts \(d.integer) NOT NULL, due_at \(d.integer) NOT NULL
            ) \(d.tableOptions)
            """,
            "CREATE INDEX pending_leave_due ON pending_leave (due_at)",
        ]
    }

    private static func contextTables(_ d: SQLDialect) -> [String] {
        [
            "ALTER TABLE session ADD COLUMN failed_tries \(d.integer)",
            """
            CREATE TABLE session_logo (
                position \(d.countedKey), session \(d.blob) NOT NULL REFERENCES session (id) ON DELETE CASCADE, hash \(d.blob) NOT NULL,
                logo \(d.blob) NOT NULL, UNIQUE (session, hash)
            ) \(d.tableOptions)
            """,
            "CREATE INDEX session_stream ON session (stream)",
            "CREATE INDEX session_logo_hash ON session_logo (hash)",
        ]
    }

    /// What waited to be told gets an id as well.
    private static func noticeTables(_ d: SQLDialect) -> [String] {
        [
            "ALTER TABLE notice ADD COLUMN id \(d.blob)",
            "UPDATE notice SET id = \(d.sixteenRandomBytes)",
            "CREATE UNIQUE INDEX notice_id ON notice (account, id)",
        ]
    }

    private static func returnTables(_ d: SQLDialect) -> [String] {
        [
            "ALTER TABLE session ADD COLUMN page \(d.blob)",
            "ALTER TABLE session ADD COLUMN page_return_url TEXT",
            "ALTER TABLE session ADD COLUMN return_code_hash \(d.blob)",
            "ALTER TABLE session ADD COLUMN return_until \(d.integer)",
            "CREATE UNIQUE INDEX session_return_code ON session (return_code_hash) WHERE return_code_hash IS NOT NULL",
        ]
    }

    private static func offersGo(_ d: SQLDialect) -> [String] {
        [
            "DROP TABLE offer", "DROP INDEX session_preselected", "ALTER TABLE session ADD COLUMN asked \(d.integer) NOT NULL DEFAULT 0",
        ]
    }

    private static func sessionTables(_ d: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE session (
                id \(d.blob) NOT NULL PRIMARY KEY, server \(d.blob) NOT NULL, nonce_hash \(d.blob), stream \(d.blob), purpose \(d.integer) NOT NULL,
                preselected \(d.blob), browser \(d.blob) NOT NULL, started_at \(d.integer) NOT NULL, state \(d.integer) NOT NULL, account \(d.blob),
                binding \(d.integer), not_me \(d.integer) NOT NULL, decision \(d.blob), logged_in_at \(d.integer), methods \(d.integer),
                verified_at \(d.integer), user_input TEXT, deadline \(d.integer), last_ping \(d.integer), last_stamp \(d.integer),
                reason \(d.integer),
                ended_at \(d.integer), runs_out_at \(d.integer), last_moment \(d.integer)
            ) \(d.tableOptions)
            """,
            "CREATE INDEX session_account ON session (account, state)",
            "CREATE INDEX session_preselected ON session (preselected, state)",
            "CREATE INDEX session_running ON session (runs_out_at) WHERE runs_out_at IS NOT NULL",
            "CREATE INDEX session_over ON session (last_moment) WHERE last_moment IS NOT NULL",
            """
            CREATE TABLE nonce (
                server \(d.blob) NOT NULL, hash \(d.blob) NOT NULL, kind \(d.integer) NOT NULL, session \(d.blob) NOT NULL, run \(d.integer) NOT NULL,
                PRIMARY KEY (server, hash)
            ) \(d.tableOptions)
            """,
            "CREATE INDEX nonce_session ON nonce (session)",
            """
            CREATE TABLE offer (
                position \(d.countedKey), request_hash \(d.blob) NOT NULL UNIQUE,
                session \(d.blob) NOT NULL REFERENCES session (id) ON DELETE CASCADE,
                ephemeral \(d.blob) NOT NULL, shown \(d.blob) NOT NULL, binding \(d.integer) NOT NULL, made_at \(d.integer) NOT NULL
            ) \(d.tableOptions)
            """,
            "CREATE INDEX offer_session ON offer (session)",
            "CREATE INDEX offer_ephemeral ON offer (ephemeral)",
        ]
    }

    /// Tables of keys without a second copy of each key, and indexes over those rows only that are asked for.
    private static func leanTables(_ d: SQLDialect) -> [String] {
        [
            d.rebuilt("replay", "key \(d.blob) NOT NULL PRIMARY KEY, until \(d.integer) NOT NULL"), ["CREATE INDEX replay_until ON replay (until)"],
            d.rebuilt(
                "nonce",
                """
                server \(d.blob) NOT NULL, hash \(d.blob) NOT NULL, kind \(d.integer) NOT NULL, session \(d.blob) NOT NULL, run \(d.integer) NOT NULL,
                PRIMARY KEY (server, hash)
                """),
            ["CREATE INDEX nonce_session ON nonce (session)"],
            d.rebuilt(
                "pin_cache",
                """
                account \(d.blob) NOT NULL PRIMARY KEY, hash \(d.blob) NOT NULL, expires_at \(d.integer) NOT NULL, single_use \(d.integer) NOT NULL,
                methods \(d.integer) NOT NULL, verified_at \(d.integer) NOT NULL
                """),
            ["CREATE INDEX pin_cache_expiry ON pin_cache (expires_at)"],
            d.rebuilt("grave", "id \(d.blob) NOT NULL PRIMARY KEY, server \(d.blob) NOT NULL, since \(d.integer) NOT NULL"),
            d.rebuilt(
                "instance_epoch",
                """
                instance \(d.blob) NOT NULL REFERENCES instance (id) ON DELETE CASCADE, number \(d.integer) NOT NULL, share \(d.blob) NOT NULL,
                second_factor_key \(d.blob) NOT NULL, PRIMARY KEY (instance, number)
                """),
            [
                // Claimed, logged in, returning: somebody's, and not over.
                "DROP INDEX session_account", "CREATE INDEX session_account ON session (account) WHERE state IN (1, 2, 6)",
                "DROP INDEX session_stream", "CREATE INDEX session_stream ON session (stream) WHERE stream IS NOT NULL",
                "DROP INDEX enrolment_ephemeral", "CREATE INDEX enrolment_ephemeral ON enrolment (ephemeral) WHERE ephemeral IS NOT NULL",
                "DROP INDEX enrolment_account", "CREATE INDEX enrolment_account ON enrolment (account) WHERE account IS NOT NULL",
                // Read from its newest entry on.
                "DROP INDEX audit_server",
            ],
        ].flatMap { $0 }
    }

    /// So that nobody counts accounts, or looks through them for the newest login.
    private static func countTables(_ d: SQLDialect) -> [String] {
        [
            "CREATE TABLE account_count (server \(d.blob) NOT NULL PRIMARY KEY, accounts \(d.integer) NOT NULL) \(d.keyedTableOptions)",
            "INSERT INTO account_count (server, accounts) SELECT server, COUNT(*) FROM account GROUP BY server",
            "CREATE INDEX account_login ON account (server, last_login) WHERE last_login IS NOT NULL",
        ]
    }

    private static func enrolmentTables(_ d: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE enrolment (
                position \(d.countedKey), id \(d.blob) NOT NULL UNIQUE, server \(d.blob) NOT NULL, secret_hash \(d.blob) NOT NULL,
                nonce_hash \(d.blob) NOT NULL, stream \(d.blob) NOT NULL, user_id TEXT, display_name TEXT NOT NULL, expires_at \(d.integer) NOT NULL,
                wrong_codes \(d.integer) NOT NULL, state \(d.integer) NOT NULL, failure \(d.integer), device_key \(d.blob), device TEXT, app TEXT,
                account \(d.blob), share \(d.blob), request_hash \(d.blob), ephemeral \(d.blob), shown \(d.blob), decision \(d.blob),
                verified_at \(d.integer), activated_at \(d.integer), session \(d.blob)
            ) \(d.tableOptions)
            """,
            "CREATE INDEX enrolment_nonce ON enrolment (server, nonce_hash)",
            "CREATE INDEX enrolment_ephemeral ON enrolment (ephemeral)",
            "CREATE INDEX enrolment_account ON enrolment (account)",
            "CREATE INDEX enrolment_expiry ON enrolment (expires_at)",
        ]
    }

    private static func logTables(_ d: SQLDialect) -> [String] {
        [
            "CREATE TABLE replay (key \(d.blob) NOT NULL PRIMARY KEY, until \(d.integer) NOT NULL) \(d.tableOptions)",
            "CREATE INDEX replay_until ON replay (until)",
            """
            CREATE TABLE pending_close (
                instance \(d.blob) NOT NULL PRIMARY KEY, server \(d.blob) NOT NULL, since \(d.integer) NOT NULL, attempts \(d.integer) NOT NULL,
                due_at \(d.integer) NOT NULL
            ) \(d.tableOptions)
            """,
            """
            CREATE TABLE audit (
                position \(d.countedKey), kind TEXT NOT NULL, server \(d.blob) NOT NULL, account \(d.blob), at \(d.integer) NOT NULL
            ) \(d.tableOptions)
            """,
            "CREATE INDEX audit_server ON audit (server, position)",
        ]
    }
}
