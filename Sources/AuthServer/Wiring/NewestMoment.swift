import Database
import OstiaryProtocol

/// The newest time that the rows bear which a clock that was put right brings back: of sessions, and of the prekey that was made last. Nil for none.
/// It has no index: asked once, at the start.
func newestMoment(in database: any Database) async throws -> Instant? {
    try await database.read { connection in
        let sessions = try connection.one("SELECT MAX(started_at) AS started, MAX(last_ping) AS pinged FROM session")
        let prekeys = try connection.one("SELECT MAX(erased_at) AS erased FROM prekey")
        let moments = [
            try sessions?.optionalInstant("started"), try sessions?.optionalInstant("pinged"),
            try prekeys?.optionalInstant("erased").map { $0 - PrekeyLife.opened },
        ]
        return moments.compactMap(\.self).max()
    }
}
