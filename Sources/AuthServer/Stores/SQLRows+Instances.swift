import Authentication
import Database
import OstiaryProtocol

extension SQLRows {
    private static let upsert = Upsert(
        "instance", key: ["id"],
        columns: [
            "id", "server", "last", "open_attempt", "open_blinded_hash", "open_since", "relayed_attempt", "relayed_number", "receipt",
        ])

    func instance(_ id: InstanceID) throws -> Instance? {
        let sql = """
            SELECT server, last, open_attempt, open_blinded_hash, open_since, relayed_attempt, relayed_number, receipt
            FROM instance WHERE id = $1
            """
        guard var columns = try one(sql, [SQLValue(id)]) else { return nil }
        let server = try columns.identifier(ServerKind.self)
        let last: UInt64 = try columns.number()
        let attempt = try columns.optionalIdentifier(AttemptKind.self)
        let blindedHash = try columns.optionalBlob()
        let since = try columns.optionalInstant()
        let relayedAttempt = try columns.optionalIdentifier(AttemptKind.self)
        let relayedNumber: UInt64? = try columns.optionalNumber()
        let receipt = try columns.optionalBlob().map { try Encoded<Receipt>(decoding: $0) }
        let open = try attempt.map {
            AttemptSequence.OpenAttempt(attempt: $0, blindedHash: try columns.some(blindedHash), since: try columns.some(since))
        }
        let relayed = try relayedAttempt.map { AttemptSequence.RelayedAttempt(attempt: $0, number: try columns.some(relayedNumber)) }
        return Instance(
            id: id, server: server, sequence: AttemptSequence(last: last, open: open, relayed: relayed), receipt: receipt,
            epochs: try epochs(of: id))
    }

    private func epochs(of id: InstanceID) throws -> [Instance.Epoch] {
        try all("SELECT number, share, second_factor_key FROM instance_epoch WHERE instance = $1 ORDER BY number", [SQLValue(id)]) { columns in
            Instance.Epoch(
                number: try columns.number(), serverShare: try unwrap(try columns.blob(), "instance/share", id.bytes),
                secondFactorKey: try columns.blob())
        }
    }

    /// An epoch never changes once it is there.
    func save(_ instance: Instance) throws {
        let (open, relayed) = (instance.sequence.open, instance.sequence.relayed)
        try connection.execute(
            Self.upsert.sql,
            [
                SQLValue(instance.id), SQLValue(instance.server), SQLValue(instance.sequence.last), SQLValue(open?.attempt),
                SQLValue(open?.blindedHash), SQLValue(open?.since), SQLValue(relayed?.attempt), SQLValue(relayed?.number),
                SQLValue(instance.receipt?.bytes),
            ])
        for epoch in instance.epochs {
            let known = try one(
                "SELECT 1 FROM instance_epoch WHERE instance = $1 AND number = $2", [SQLValue(instance.id), SQLValue(number: epoch.number)])
            if known != nil { continue }
            try connection.execute(
                "INSERT INTO instance_epoch (instance, number, share, second_factor_key) VALUES ($1, $2, $3, $4)",
                [
                    SQLValue(instance.id), SQLValue(number: epoch.number),
                    .blob(try wrap(epoch.serverShare, "instance/share", instance.id.bytes)), .blob(epoch.secondFactorKey),
                ])
        }
    }

    func removeInstance(_ id: InstanceID) throws {
        try connection.execute("DELETE FROM instance WHERE id = $1", [SQLValue(id)])
    }

    func queue(_ close: PendingClose) throws {
        try connection.execute(
            """
            INSERT INTO pending_close (instance, server, since, attempts, due_at) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (instance) DO UPDATE SET attempts = excluded.attempts, due_at = excluded.due_at
            """,
            [
                SQLValue(close.instance), SQLValue(close.server), SQLValue(close.since), SQLValue(number: close.attempts), SQLValue(close.dueAt),
            ])
    }

    func dueCloses(at now: Instant, limit: Int) throws -> [PendingClose] {
        let sql = "SELECT instance, server, since, attempts, due_at FROM pending_close WHERE due_at <= $1 ORDER BY due_at LIMIT $2"
        return try all(sql, [SQLValue(now), SQLValue(limit)]) { columns in
            PendingClose(
                instance: try columns.identifier(), server: try columns.identifier(), since: try columns.instant(), attempts: try columns.number(),
                dueAt: try columns.instant())
        }
    }

    func removeClose(of instance: InstanceID) throws {
        try connection.execute("DELETE FROM pending_close WHERE instance = $1", [SQLValue(instance)])
    }
}
