import Database
import OstiaryProtocol

/// What steps of the schema do to enrolments.
extension AuthenticationSchema {
    /// Enrolments of accounts without a second factor, and of a second factor for one (docs/decisions/0046). An account of the kind has no byte where the others
    /// have their instance.
    static func headlessColumns(_ d: SQLDialect) -> [String] {
        [
            "ALTER TABLE enrolment ADD COLUMN headless \(d.integer) NOT NULL DEFAULT 0",
            "ALTER TABLE enrolment ADD COLUMN upgrades \(d.blob)",
            "CREATE INDEX enrolment_upgrades ON enrolment (upgrades) WHERE upgrades IS NOT NULL",
        ]
    }

    static func enrolHashColumn(_ d: SQLDialect) -> [String] { ["ALTER TABLE enrolment ADD COLUMN enrol_hash \(d.blob)"] }

    /// Each E2 was kept as it was sent, with the share of the PIN open in it. What is asked of it is its hash; an enrolment under way goes on by that.
    static func forgetShownEnrolments(_ connection: any SQLConnection) throws {
        for row in try connection.query("SELECT id, request_hash, shown FROM enrolment WHERE shown IS NOT NULL") {
            let hash = Transcript.enrolment(requestHash: try row.blob("request_hash"), shown: try row.blob("shown"))
            try connection.execute(
                "UPDATE enrolment SET enrol_hash = $2, request_hash = NULL, shown = NULL WHERE id = $1", [.blob(try row.blob("id")), .blob(hash)])
        }
        for column in ["request_hash", "shown"] { try connection.execute("ALTER TABLE enrolment DROP COLUMN \(column)") }
    }
}
