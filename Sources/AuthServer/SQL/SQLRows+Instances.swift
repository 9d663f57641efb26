import Authentication
import Database
import OstiaryProtocol

extension SQLRows {
    private static let table = SQLTable(
        "instance", key: ["id"],
        columns: [
            "server", "last", "open_attempt", "open_blinded_hash", "open_since", "relayed_attempt", "relayed_number", "receipt", "biometric_key",
            "evaluated_attempt", "evaluated_epoch", "evaluated_made_at", "change_decision", "change_answer", "pin_receipt",
        ])

    /// The instance with its change of the PIN, once for each of its epochs.
    private static let byID = """
        SELECT \(table.list("i.")), \(PINChangeColumns.list), e.number AS epoch_number, e.share AS epoch_share, e.second_factor_key AS epoch_key
        FROM instance i LEFT JOIN pin_change c ON c.instance = i.id LEFT JOIN instance_epoch e ON e.instance = i.id
        WHERE i.id = $1 ORDER BY e.number
        """

    func instance(_ id: InstanceID) throws -> Instance? { try row(of: id)?.instance }

    private func row(of id: InstanceID) throws -> InstanceRow? {
        try knownInstances.row(id) {
            let rows = try connection.query(Self.byID, [SQLValue(id)])
            return try rows.first.map { try instance(id, $0, epochs: rows) }
        }
    }

    private func instance(_ id: InstanceID, _ row: SQLRow, epochs rows: [SQLRow]) throws -> InstanceRow {
        var instance = Instance(
            id: id, server: try row.identifier("server"), sequence: try Self.sequence(row), epochs: try rows.compactMap { try epoch(of: id, $0) },
            biometricKey: try row.optionalBlob("biometric_key"), evaluated: try Self.evaluated(row), pinChange: try pinChange(of: id, row),
            lastChange: try Self.lastChange(row))
        let (stored, surroundings) = (try StoredReceipts(row), ReceiptSurroundings(of: instance))
        instance.receipt = try stored.newest.map { try StoredReceipts.receipt($0, beside: surroundings) }
        instance.pinReceipt = try stored.newestByPIN.map { try StoredReceipts.receipt($0, beside: surroundings) }
        return InstanceRow(instance: instance, receipts: stored)
    }

    private static func sequence(_ row: SQLRow) throws -> AttemptSequence {
        let open = try row.optionalIdentifier("open_attempt", of: AttemptKind.self).map { attempt in
            AttemptSequence.OpenAttempt(attempt: attempt, blindedHash: try row.blob("open_blinded_hash"), since: try row.instant("open_since"))
        }
        let relayed = try row.optionalIdentifier("relayed_attempt", of: AttemptKind.self).map { attempt in
            AttemptSequence.RelayedAttempt(attempt: attempt, number: try row.unsigned("relayed_number"))
        }
        return AttemptSequence(last: try row.unsigned("last"), open: open, relayed: relayed)
    }

    private static func evaluated(_ row: SQLRow) throws -> TriedAttempt? {
        try row.optionalIdentifier("evaluated_attempt").map { attempt in
            TriedAttempt(id: attempt, epoch: try row.number("evaluated_epoch"), madeAt: try row.instant("evaluated_made_at"))
        }
    }

    private static func lastChange(_ row: SQLRow) throws -> FinishedChange? {
        try row.optionalBlob("change_decision").map { FinishedChange(decision: $0, answer: try row.blob("change_answer")) }
    }

    private func epoch(of id: InstanceID, _ row: SQLRow) throws -> Instance.Epoch? {
        guard let number: UInt32 = try row.optionalNumber("epoch_number") else { return nil }
        return Instance.Epoch(
            number: number, serverShare: secret(try row.blob("epoch_share"), "instance/share", id.bytes),
            secondFactorKey: try row.blob("epoch_key"))
    }

    func save(_ instance: Instance) throws {
        // Of one that nobody looked for, nobody knows what hangs on it.
        let known = try row(of: instance.id)
        let former = known?.instance
        let saved = InstanceRow(instance: instance, receipts: StoredReceipts(of: instance, in: receiptForm))
        try Self.table.save(Self.values(of: saved), over: known.map(Self.values), on: connection)
        if former?.epochs ?? [] != instance.epochs { try replaceEpochs(of: instance, over: former) }
        if former?.pinChange != instance.pinChange { try replacePINChange(of: instance, over: former) }
        knownInstances.note(saved, as: instance.id)
    }

    private static func values(of row: InstanceRow) -> [SQLValue] {
        let instance = row.instance
        let (open, relayed) = (instance.sequence.open, instance.sequence.relayed)
        return [
            SQLValue(instance.id), SQLValue(instance.server), SQLValue(instance.sequence.last), SQLValue(open?.attempt),
            SQLValue(open?.blindedHash), SQLValue(open?.since), SQLValue(relayed?.attempt), SQLValue(relayed?.number),
            SQLValue(row.receipts.newest), SQLValue(instance.biometricKey), SQLValue(instance.evaluated?.id),
            SQLValue(instance.evaluated.map { UInt64($0.epoch) }), SQLValue(instance.evaluated?.madeAt), SQLValue(instance.lastChange?.decision),
            SQLValue(instance.lastChange?.answer), SQLValue(row.receipts.newestByPIN),
        ]
    }

    private func replaceEpochs(of instance: Instance, over former: Instance?) throws {
        if former?.epochs.isEmpty == false { try connection.write("DELETE FROM instance_epoch WHERE instance = $1", [SQLValue(instance.id)]) }
        for epoch in instance.epochs {
            try connection.write(
                "INSERT INTO instance_epoch (instance, number, share, second_factor_key) VALUES ($1, $2, $3, $4)",
                [
                    SQLValue(instance.id), SQLValue(number: epoch.number),
                    .blob(try wrapped(epoch.serverShare, "instance/share", instance.id.bytes)), .blob(epoch.secondFactorKey),
                ])
        }
    }

    /// What hangs on it goes too.
    func removeInstance(_ id: InstanceID) throws {
        try connection.write("DELETE FROM instance WHERE id = $1", [SQLValue(id)])
        knownInstances.note(nil, as: id)
    }
}
