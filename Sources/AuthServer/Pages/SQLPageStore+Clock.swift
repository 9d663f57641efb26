import Authentication
import Database
import OstiaryProtocol

extension SQLPageStore: MomentKeeper {
    /// A ticket lives a minute from now, a page half an hour, if a clock that ran ahead gave them more (docs/operations.md, Clocks).
    package func bringBack(from ahead: Instant, to now: Instant) async throws {
        try await database.transaction { connection, _ in
            for (column, life) in [("ticket_hash", PageLifetime.ticket), ("cookie_hash", PageLifetime.page)] {
                try connection.execute(
                    "UPDATE page SET expires_at = $1 WHERE \(column) IS NOT NULL AND expires_at > $2",
                    [SQLValue((now + life).seconds), SQLValue((ahead + life).seconds)])
            }
        }
    }
}
