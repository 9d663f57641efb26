import Database
import OstiaryProtocol

/// The newest time that the rows bear which a clock that was put right brings back: of instances, and of the prekey that was made last. Nil for none.
/// It has no index: asked once, at the start.
func newestMoment(in database: any Database) async throws -> Instant? {
    try await database.read { connection in
        let instances = try connection.one("SELECT MAX(last_seen) AS seen FROM instance")
        let prekeys = try connection.one("SELECT MAX(erase_at) AS erased FROM own_prekey")
        let moments = [
            try instances?.optionalUnsigned("seen").map { Instant($0) },
            try prekeys?.optionalUnsigned("erased").map { Instant($0) - KeyLifetimes.prekeyErasure },
        ]
        return moments.compactMap(\.self).max()
    }
}
