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

    /// Without an index: asked once after a start and after a leap of the clock.
    func instances(seenAfter moment: Instant, limit: Int) throws -> [Instance] {
        try connection.query("SELECT id FROM instance WHERE last_seen > $1 LIMIT $2", [SQLValue(moment.seconds), SQLValue(limit)])
            .compactMap { row in try InstanceID(try row.blob("id")).flatMap { try instance($0) } }
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
