import Authentication
import Database
import OstiaryProtocol

/// A change of the PIN beside the columns of its instance.
enum PINChangeColumns {
    static let list = ["attempt", "account", "methods", "verified_at", "epoch", "share", "set_attempt", "set_epoch", "set_made_at"]
        .map { "c.\($0) AS pin_\($0)" }.joined(separator: ", ")
}

extension SQLRows {
    func pinChange(of id: InstanceID, _ row: SQLRow) throws -> PINChange? {
        guard let attempt = try row.optionalIdentifier("pin_attempt", of: AttemptKind.self) else { return nil }
        let setting = try row.optionalIdentifier("pin_set_attempt", of: AttemptKind.self).map { attempt in
            TriedAttempt(id: attempt, epoch: try row.number("pin_set_epoch"), madeAt: try row.instant("pin_set_made_at"))
        }
        return PINChange(
            attempt: attempt, account: try row.identifier("pin_account"), methods: try row.choice("pin_methods"),
            verifiedAt: try row.instant("pin_verified_at"), epoch: try row.number("pin_epoch"),
            serverShare: secret(try row.blob("pin_share"), "pin-change/share", id.bytes), setting: setting)
    }

    private static let table = SQLTable(
        "pin_change", key: ["instance"],
        columns: ["attempt", "account", "methods", "verified_at", "epoch", "share", "set_attempt", "set_epoch", "set_made_at"])

    func replacePINChange(of instance: Instance, over former: Instance?) throws {
        guard let change = instance.pinChange else {
            try connection.write("DELETE FROM pin_change WHERE instance = $1", [SQLValue(instance.id)])
            return
        }
        try Self.table.save(
            try values(of: change, instance.id), over: try former?.pinChange.map { try values(of: $0, instance.id) }, on: connection)
    }

    private func values(of change: PINChange, _ id: InstanceID) throws -> [SQLValue] {
        [
            SQLValue(id), SQLValue(change.attempt), SQLValue(change.account), SQLValue(change.methods), SQLValue(change.verifiedAt),
            SQLValue(number: change.epoch), .blob(try wrapped(change.serverShare, "pin-change/share", id.bytes)), SQLValue(change.setting?.id),
            SQLValue(change.setting.map { UInt64($0.epoch) }),
            SQLValue(change.setting?.madeAt),
        ]
    }
}
