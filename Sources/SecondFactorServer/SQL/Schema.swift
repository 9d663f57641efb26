import Database

/// The schema of this server. Steps are only added.
///
/// Of `instance` a row stays for ever, closed, without its keys: its id must not be used again. A receipt has no end (protocol §7), and one of an instance that
/// was closed would lift the counter of another by the same id, and give tries. Of `own_operator_key` the certificate stays, by which receipts of years ago are
/// verified. `reset_log` stays as long as the operator says (`sf_reset_days`).
let secondFactorMigrations = [
    Migration(1, "second factor") { dialect in
        [
            """
            CREATE TABLE instance (
                id \(dialect.blob) NOT NULL PRIMARY KEY,
                server_id \(dialect.blob) NOT NULL,
                server_root \(dialect.blob) NOT NULL,
                device_keys \(dialect.blob) NOT NULL,
                epoch \(dialect.integer) NOT NULL,
                second_factor_key \(dialect.blob),
                evaluation_key \(dialect.blob),
                highest \(dialect.integer) NOT NULL,
                proven \(dialect.integer) NOT NULL,
                proven_by_pin \(dialect.integer) NOT NULL,
                penalty_until \(dialect.integer) NOT NULL,
                last_seen \(dialect.integer) NOT NULL,
                without_pin \(dialect.integer) NOT NULL,
                last_pin \(dialect.integer) NOT NULL,
                CHECK (0 <= proven_by_pin AND proven_by_pin <= proven AND proven <= highest),
                CHECK ((second_factor_key IS NULL) = (evaluation_key IS NULL))
            ) \(dialect.tableOptions)
            """,
            """
            CREATE TABLE attempt (
                id \(dialect.blob) NOT NULL PRIMARY KEY,
                instance_id \(dialect.blob) NOT NULL,
                server_id \(dialect.blob) NOT NULL,
                server_root \(dialect.blob) NOT NULL,
                session_hash \(dialect.blob) NOT NULL,
                context \(dialect.integer) NOT NULL,
                device_key \(dialect.blob),
                epoch \(dialect.integer) NOT NULL,
                blinded_hash \(dialect.blob) NOT NULL,
                sequence \(dialect.integer) NOT NULL,
                reserved_at \(dialect.integer) NOT NULL,
                expires_at \(dialect.integer) NOT NULL,
                failed \(dialect.integer) NOT NULL,
                most \(dialect.integer) NOT NULL,
                wait \(dialect.integer) NOT NULL,
                without_pin_left \(dialect.integer) NOT NULL,
                new_evaluation_key \(dialect.blob),
                evaluation \(dialect.blob),
                state \(dialect.integer) NOT NULL,
                signature_hash \(dialect.blob),
                receipt \(dialect.blob)
            ) \(dialect.tableOptions)
            """,
            "CREATE INDEX attempt_by_instance ON attempt (instance_id)",
            "CREATE INDEX attempt_by_expiry ON attempt (expires_at)",
            """
            CREATE TABLE pending_key (
                instance_id \(dialect.blob) NOT NULL PRIMARY KEY,
                server_id \(dialect.blob) NOT NULL,
                server_root \(dialect.blob) NOT NULL,
                attempt_id \(dialect.blob) NOT NULL,
                device_key \(dialect.blob) NOT NULL,
                evaluation_key \(dialect.blob) NOT NULL,
                expires_at \(dialect.integer) NOT NULL
            ) \(dialect.tableOptions)
            """,
            "CREATE INDEX pending_key_by_expiry ON pending_key (expires_at)",
            """
            CREATE TABLE reset_log (
                number \(dialect.countedKey),
                instance_id \(dialect.blob) NOT NULL,
                server_id \(dialect.blob) NOT NULL,
                granted_at \(dialect.integer) NOT NULL,
                message_time \(dialect.integer),
                highest \(dialect.integer) NOT NULL,
                proven \(dialect.integer) NOT NULL
            ) \(dialect.tableOptions)
            """,
            "CREATE INDEX reset_log_by_instance ON reset_log (instance_id, granted_at)",
        ]
    },
    Migration(2, "own keys") { dialect in
        [
            """
            CREATE TABLE own_root (
                id \(dialect.integer) NOT NULL PRIMARY KEY CHECK (id = 1),
                root \(dialect.blob) NOT NULL,
                wrapped_seed \(dialect.blob)
            ) \(dialect.tableOptions)
            """,
            """
            CREATE TABLE own_operator_key (
                id \(dialect.blob) NOT NULL PRIMARY KEY,
                certificate \(dialect.blob) NOT NULL,
                wrapped_seed \(dialect.blob),
                not_after \(dialect.integer) NOT NULL
            ) \(dialect.tableOptions)
            """,
            """
            CREATE TABLE own_prekey (
                id \(dialect.integer) NOT NULL PRIMARY KEY,
                wrapped_secret \(dialect.blob) NOT NULL,
                not_after \(dialect.integer) NOT NULL,
                erase_at \(dialect.integer) NOT NULL
            ) \(dialect.tableOptions)
            """,
        ]
    },
    // Rows from before are proofs by PIN, of a time that vouches for no change of the PIN.
    Migration(3, "biometrics and change of the PIN") { dialect in
        [
            "ALTER TABLE instance ADD COLUMN biometric_key \(dialect.blob)",
            "ALTER TABLE attempt ADD COLUMN biometric_key \(dialect.blob)",
            "ALTER TABLE attempt ADD COLUMN voucher \(dialect.blob)",
            "ALTER TABLE attempt ADD COLUMN vouched_by \(dialect.integer)",
            "ALTER TABLE attempt ADD COLUMN made_at \(dialect.integer) NOT NULL DEFAULT 0",
            "ALTER TABLE attempt ADD COLUMN method \(dialect.integer) NOT NULL DEFAULT 1",
            "ALTER TABLE attempt ADD COLUMN proved_at \(dialect.integer) NOT NULL DEFAULT 0",
        ]
    },
    Migration(4, "resets in order") { dialect in
        [
            "ALTER TABLE instance ADD COLUMN last_reset \(dialect.integer) NOT NULL DEFAULT 0",
            "UPDATE instance SET last_reset = COALESCE((SELECT MAX(message_time) FROM reset_log WHERE instance_id = instance.id), 0)",
        ]
    },
    // Rows that live for minutes, found by their one key: they stand in its index and nowhere else (docs/decisions/0039).
    Migration(5, "keys that wait have no second index") { dialect in
        dialect.rebuilt(
            "pending_key",
            """
            instance_id \(dialect.blob) NOT NULL PRIMARY KEY,
            server_id \(dialect.blob) NOT NULL,
            server_root \(dialect.blob) NOT NULL,
            attempt_id \(dialect.blob) NOT NULL,
            device_key \(dialect.blob) NOT NULL,
            evaluation_key \(dialect.blob) NOT NULL,
            expires_at \(dialect.integer) NOT NULL
            """) + ["CREATE INDEX pending_key_by_expiry ON pending_key (expires_at)"]
    },
]

/// Which rows are never changed, or never removed. A statement that does takes the table off its list: a right that readiness does not ask for may be missing
/// while all seems well.
let secondFactorTables = SchemaTables(
    after: secondFactorMigrations, unchanged: ["own_root", "reset_log"], kept: ["instance", "own_operator_key", "own_root"])
