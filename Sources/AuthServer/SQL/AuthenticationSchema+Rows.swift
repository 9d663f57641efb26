import Database

/// What becomes of rows, table by table.
extension AuthenticationSchema {
    /// A statement that changes or removes rows of a table takes it off its list: a right that readiness does not ask for may be missing while all seems well.
    static let tables = SchemaTables(
        after: migrations,
        unchanged: [
            "applied_setting", "audit", "grave", "instance_epoch", "notice", "oauth_revoked", "oauth_spent", "oauth_subject", "replay",
            "session_logo",
        ],
        kept: ["account_count", "oauth_registration", "offline_failures", "repacking", "second_factor_identity", "server"],
        ofStarts: ["applied_setting"])
}
