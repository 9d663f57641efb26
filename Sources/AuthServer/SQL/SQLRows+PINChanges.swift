import Authentication
import Database
import OstiaryProtocol

extension SQLRows {
    func pinChange(of id: InstanceID) throws -> PINChange? {
        let sql = """
            SELECT attempt, account, methods, verified_at, epoch, share, set_attempt, set_epoch, set_made_at FROM pin_change WHERE instance = $1
            """
        guard var columns = try one(sql, [SQLValue(id)]) else { return nil }
        return PINChange(
            attempt: try columns.identifier(), account: try columns.identifier(), methods: try columns.choice(), verifiedAt: try columns.instant(),
            epoch: try columns.number(), serverShare: try unwrap(try columns.blob(), "pin-change/share", id.bytes),
            setting: try Self.tried(&columns))
    }

    /// An attempt in three columns, which are all there or all missing.
    static func tried(_ columns: inout ColumnReader) throws -> TriedAttempt? {
        let id = try columns.optionalIdentifier(AttemptKind.self)
        let epoch: UInt32? = try columns.optionalNumber()
        let madeAt = try columns.optionalInstant()
        return try id.map { TriedAttempt(id: $0, epoch: try columns.some(epoch), madeAt: try columns.some(madeAt)) }
    }

    func replacePINChange(of instance: Instance) throws {
        try connection.execute("DELETE FROM pin_change WHERE instance = $1", [SQLValue(instance.id)])
        guard let change = instance.pinChange else { return }
        try connection.execute(
            """
            INSERT INTO pin_change (instance, attempt, account, methods, verified_at, epoch, share, set_attempt, set_epoch, set_made_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """,
            [
                SQLValue(instance.id), SQLValue(change.attempt), SQLValue(change.account), SQLValue(change.methods), SQLValue(change.verifiedAt),
                SQLValue(number: change.epoch), .blob(try wrap(change.serverShare, "pin-change/share", instance.id.bytes)),
                SQLValue(change.setting?.id), SQLValue(change.setting.map { UInt64($0.epoch) }), SQLValue(change.setting?.madeAt),
            ])
    }
}
