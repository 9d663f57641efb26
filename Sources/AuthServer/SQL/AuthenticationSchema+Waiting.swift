import Database

/// By which what waits for a person is bounded (docs/decisions/0024).
extension AuthenticationSchema {
    /// Where requests and device codes of nobody in particular were begun, with an index for each question of `SQLOAuthRows.count`: over those that count, so
    /// that one which came to its end costs no more, and with all that the question names, so that no row is read. And the visit of a login page. What was
    /// begun before counts for nobody.
    static func waitingColumns(_ d: SQLDialect) -> [String] {
        let request = "WHERE place IS NOT NULL AND spent = 0"
        // Pending.
        let device = "WHERE place IS NOT NULL AND state = 0"
        return [
            "ALTER TABLE oauth_pushed ADD COLUMN place TEXT",
            "CREATE INDEX oauth_pushed_waiting ON oauth_pushed (server, expires_at, place, spent) \(request)",
            "CREATE INDEX oauth_pushed_place ON oauth_pushed (server, place, expires_at, spent) \(request)",
            "ALTER TABLE oauth_polled ADD COLUMN place TEXT",
            "CREATE INDEX oauth_polled_waiting ON oauth_polled (server, expires_at, place, state) \(device)",
            "CREATE INDEX oauth_polled_place ON oauth_polled (server, place, expires_at, state) \(device)",
            "CREATE INDEX oauth_polled_client ON oauth_polled (server, client, expires_at, place, state) \(device)",
            // What phones show, or may have decided: `openQuestions` and `askedOnPhones`, which would read all of a server's of the last day.
            "CREATE INDEX oauth_polled_asked ON oauth_polled (server, expires_at) WHERE session IS NOT NULL AND state = 0",
            // For housekeeping.
            "CREATE INDEX oauth_polled_left ON oauth_polled (expires_at) \(device)",
            "ALTER TABLE page ADD COLUMN visit \(d.blob)",
            "CREATE INDEX page_visit ON page (visit, id) WHERE visit IS NOT NULL",
        ]
    }
}
