import Database
import OstiaryProtocol
import Synchronization

/// The identity that this program, or a former run of it, verified last: enough for a bundle while the second-factor server is down.
final class SecondFactorMemory: Sendable {
    private let database: any Database
    private let rootHash: [UInt8]
    private let kept = Mutex<[UInt8]?>(nil)

    init(database: any Database, rootHash: [UInt8]) {
        self.database = database
        self.rootHash = rootHash
    }

    func identity() async throws -> Encoded<SecondFactorIdentity>? {
        try await bytes().flatMap { try? Encoded(decoding: $0) }
    }

    /// Writes only what is not there yet: it is asked often, and changes once in hours.
    func keep(_ bytes: [UInt8], at now: Instant) async throws {
        if kept.withLock({ $0 == bytes }) { return }
        if try await self.bytes() != bytes { try await write(bytes, at: now) }
        kept.withLock { $0 = bytes }
    }

    private func bytes() async throws -> [UInt8]? {
        let hash = rootHash
        return try await database.read { connection in
            try connection.one("SELECT identity FROM second_factor_identity WHERE root_hash = $1", [.blob(hash)])?.blob("identity")
        }
    }

    private func write(_ bytes: [UInt8], at now: Instant) async throws {
        let hash = rootHash
        try await database.transaction { connection, _ in
            try connection.write(
                """
                INSERT INTO second_factor_identity (root_hash, identity, seen_at) VALUES ($1, $2, $3)
                ON CONFLICT (root_hash) DO UPDATE SET identity = excluded.identity, seen_at = excluded.seen_at
                """,
                [.blob(hash), .blob(bytes), SQLValue(now)])
        }
    }
}
