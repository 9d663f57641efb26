import Database
import OstiaryProtocol
import SecondFactor

extension SQLRows {
    func instance(_ id: InstanceID) throws -> Instance? {
        try knownInstances.row(id) {
            try connection.one(InstanceColumns.table.selection + "WHERE id = $1", [.blob(id.bytes)]).map { try Instance($0) }
        }
    }

    func save(_ instance: Instance) throws {
        try knownInstances.save(instance, as: instance.id, values: InstanceColumns.values, by: InstanceColumns.table.saver(on: connection))
    }

    /// By the key and not by the moment, of which there is no index: it would be a page more of each login.
    func lookAhead(of moment: Instant, behind place: InstanceID?, limit: Int) throws -> LookAhead {
        let rows = try connection.query(
            "SELECT id, last_seen FROM instance WHERE id > $1 ORDER BY id LIMIT $2", [.blob(place?.bytes ?? []), SQLValue(limit)])
        let latest = Int64(clamping: moment.seconds)
        let ahead = try rows.filter { try $0.integer("last_seen") > latest }.compactMap { try InstanceID($0.blob("id")) }
        let last = try rows.last.flatMap { try InstanceID($0.blob("id")) }
        return LookAhead(ahead: ahead, last: rows.count < limit ? nil : last)
    }

    func pendingKey(of instance: InstanceID) throws -> PendingKey? {
        try knownKeys.row(instance) {
            try connection.one(PendingKeyColumns.table.selection + "WHERE instance_id = $1", [.blob(instance.bytes)])
                .map { try PendingKey($0) }
        }
    }

    func save(_ key: PendingKey) throws {
        try knownKeys.save(key, as: key.instanceID, values: PendingKeyColumns.values, by: PendingKeyColumns.table.saver(on: connection))
    }

    func removePendingKey(of instance: InstanceID) throws {
        try connection.write("DELETE FROM pending_key WHERE instance_id = $1", [.blob(instance.bytes)])
        knownKeys.note(nil, as: instance)
    }
}
