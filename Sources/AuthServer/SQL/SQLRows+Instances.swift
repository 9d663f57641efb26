import Authentication
import Database
import OstiaryProtocol

extension SQLRows {
    private static let columns = [
        "id", "server", "last", "open_attempt", "open_blinded_hash", "open_since", "relayed_attempt", "relayed_number", "receipt", "biometric_key",
        "evaluated_attempt", "evaluated_epoch", "evaluated_made_at", "change_decision", "change_answer", "pin_receipt",
    ]
    private static let upsert = Upsert("instance", key: ["id"], columns: columns)
    private static let byID = "SELECT \(columns.joined(separator: ", ")) FROM instance WHERE id = $1"

    func instance(_ id: InstanceID) throws -> Instance? {
        guard var columns = try one(Self.byID, [SQLValue(id)]) else { return nil }
        columns.skip(1)
        var instance = Instance(
            id: id, server: try columns.identifier(), sequence: try Self.sequence(&columns),
            receipt: try columns.optionalBlob().map { try Encoded<Receipt>(decoding: $0) }, epochs: try epochs(of: id),
            biometricKey: try columns.optionalBlob(), evaluated: try Self.tried(&columns), pinChange: try pinChange(of: id),
            lastChange: try Self.lastChange(&columns))
        instance.pinReceipt = try columns.optionalBlob().map { try Encoded<Receipt>(decoding: $0) }
        return instance
    }

    private static func sequence(_ columns: inout ColumnReader) throws -> AttemptSequence {
        let last: UInt64 = try columns.number()
        let attempt = try columns.optionalIdentifier(AttemptKind.self)
        let blindedHash = try columns.optionalBlob()
        let since = try columns.optionalInstant()
        let relayedAttempt = try columns.optionalIdentifier(AttemptKind.self)
        let relayedNumber: UInt64? = try columns.optionalNumber()
        let open = try attempt.map {
            AttemptSequence.OpenAttempt(attempt: $0, blindedHash: try columns.some(blindedHash), since: try columns.some(since))
        }
        let relayed = try relayedAttempt.map { AttemptSequence.RelayedAttempt(attempt: $0, number: try columns.some(relayedNumber)) }
        return AttemptSequence(last: last, open: open, relayed: relayed)
    }

    private static func lastChange(_ columns: inout ColumnReader) throws -> FinishedChange? {
        let decision = try columns.optionalBlob()
        let answer = try columns.optionalBlob()
        return try decision.map { FinishedChange(decision: $0, answer: try columns.some(answer)) }
    }

    private func epochs(of id: InstanceID) throws -> [Instance.Epoch] {
        try all("SELECT number, share, second_factor_key FROM instance_epoch WHERE instance = $1 ORDER BY number", [SQLValue(id)]) { columns in
            Instance.Epoch(
                number: try columns.number(), serverShare: try unwrap(try columns.blob(), "instance/share", id.bytes),
                secondFactorKey: try columns.blob())
        }
    }

    func save(_ instance: Instance) throws {
        let (open, relayed) = (instance.sequence.open, instance.sequence.relayed)
        try connection.execute(
            Self.upsert.sql,
            [
                SQLValue(instance.id), SQLValue(instance.server), SQLValue(instance.sequence.last), SQLValue(open?.attempt),
                SQLValue(open?.blindedHash), SQLValue(open?.since), SQLValue(relayed?.attempt), SQLValue(relayed?.number),
                SQLValue(instance.receipt?.bytes), SQLValue(instance.biometricKey), SQLValue(instance.evaluated?.id),
                SQLValue(instance.evaluated.map { UInt64($0.epoch) }), SQLValue(instance.evaluated?.madeAt), SQLValue(instance.lastChange?.decision),
                SQLValue(instance.lastChange?.answer), SQLValue(instance.pinReceipt?.bytes),
            ])
        if try epochs(of: instance.id) != instance.epochs { try replaceEpochs(of: instance) }
        if try pinChange(of: instance.id) != instance.pinChange { try replacePINChange(of: instance) }
    }

    private func replaceEpochs(of instance: Instance) throws {
        try connection.execute("DELETE FROM instance_epoch WHERE instance = $1", [SQLValue(instance.id)])
        for epoch in instance.epochs {
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
}
