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
        try connection.execute("DELETE FROM pending_key WHERE instance_id = $1", [.blob(instance.bytes)])
        knownKeys.note(nil, as: instance)
    }
}
