import Authentication
import Database
import Logging
import OstiaryProtocol
import Synchronization

/// The one second-factor server that this server works with, known by the hash of its root.
package final class PinnedSecondFactor: SecondFactorGateway {
    /// Seconds after which its keys and prekeys are asked for again.
    private static let freshFor: UInt64 = 3_600

    private struct Known: Sendable {
        let identity: VerifiedSecondFactor
        let seenAt: Instant
    }

    private let transport: any SecondFactorTransport
    private let rootHash: [UInt8]
    private let database: any Database
    private let logger: Logger
    private let clock: @Sendable () -> Instant
    private let known = Mutex<Known?>(nil)

    package init(
        transport: any SecondFactorTransport, rootHash: [UInt8], database: any Database, logger: Logger, clock: @Sendable @escaping () -> Instant
    ) {
        self.transport = transport
        self.rootHash = rootHash
        self.database = database
        self.logger = logger
        self.clock = clock
    }

    /// What is known, asked for anew once an hour. While the server does not answer, what was last known stays.
    package func identity() async throws -> VerifiedSecondFactor {
        let now = clock()
        let present = known.withLock { $0 }
        if let present, now.distance(to: present.seenAt) < Self.freshFor { return present.identity }
        do { return try await refreshedIdentity() } catch let error as SecondFactorUnreachable {
            if let present { return present.identity }
            if let stored = try await stored(at: now) { return stored }
            throw error
        }
    }

    /// - Throws: `SecondFactorUnreachable`, ``SecondFactorIdentityError``.
    package func refreshedIdentity() async throws -> VerifiedSecondFactor {
        let now = clock()
        guard let identity = try? Encoded<SecondFactorIdentity>(decoding: try await transport.identity()) else { throw SecondFactorUnreachable() }
        let found = identity.value.chain.root.hash
        guard found == rootHash else { throw SecondFactorIdentityError(expected: rootHash, found: found) }
        guard let verified = try? VerifiedSecondFactor.verify(identity, rootHash: rootHash, at: now) else { throw SecondFactorUnreachable() }
        known.withLock { $0 = Known(identity: verified, seenAt: now) }
        try await keep(identity.bytes, at: now)
        return verified
    }

    package func call(_ call: SecondFactorCall) async throws -> [UInt8] {
        do { return try await transport.call(call.encoded) } catch let error as SecondFactorDistrust {
            logger.error("\(error)")
            throw SecondFactorUnreachable()
        }
    }

    /// Whether the second-factor server answers now and is the right one.
    package func check() async throws { _ = try await refreshedIdentity() }

    /// The identity that a former run of this program verified: enough for a bundle while the second-factor server is down.
    private func stored(at now: Instant) async throws -> VerifiedSecondFactor? {
        let hash = rootHash
        let row = try await database.read { connection in
            try connection.one("SELECT identity FROM second_factor_identity WHERE root_hash = $1", [.blob(hash)])
        }
        guard let row, let identity = try? Encoded<SecondFactorIdentity>(decoding: try row.blob("identity")) else { return nil }
        return try? VerifiedSecondFactor.verify(identity, rootHash: rootHash, at: now)
    }

    private func keep(_ bytes: [UInt8], at now: Instant) async throws {
        let hash = rootHash
        try await database.transaction { connection in
            try connection.execute(
                """
                INSERT INTO second_factor_identity (root_hash, identity, seen_at) VALUES ($1, $2, $3)
                ON CONFLICT (root_hash) DO UPDATE SET identity = excluded.identity, seen_at = excluded.seen_at
                """,
                [.blob(hash), .blob(bytes), SQLValue(now)])
        }
    }
}

/// The second-factor server that answers is another one than the one that was configured.
package struct SecondFactorIdentityError: Error, Equatable, CustomStringConvertible {
    package let expected: [UInt8]
    package let found: [UInt8]

    package var description: String {
        "the second-factor server has the identity \(Base64URL.encode(found)), not \(Base64URL.encode(expected)): "
            + "check OSTIARY_SECOND_FACTOR_URL and OSTIARY_SECOND_FACTOR_IDENTITY"
    }
}
