import Database
import OstiaryProtocol
import SecondFactor

extension SQLRows {
    func instance(_ id: InstanceID) throws -> Instance? {
        try knownInstances.row(id) {
            try connection.one("SELECT \(InstanceColumns.table.list()) FROM instance WHERE id = $1", [.blob(id.bytes)]).map { try Instance($0) }
        }
    }

    func save(_ instance: Instance) throws {
        let former = knownInstances.former(instance.id).map(InstanceColumns.values)
        try InstanceColumns.table.save(InstanceColumns.values(of: instance), over: former, on: connection)
        knownInstances.note(instance, as: instance.id)
    }

    func pendingKey(of instance: InstanceID) throws -> PendingKey? {
        try knownKeys.row(instance) {
            try connection.one("SELECT \(PendingKeyColumns.table.list()) FROM pending_key WHERE instance_id = $1", [.blob(instance.bytes)])
                .map { try PendingKey($0) }
        }
    }

    func save(_ key: PendingKey) throws {
        let former = knownKeys.former(key.instanceID).map(PendingKeyColumns.values)
        try PendingKeyColumns.table.save(PendingKeyColumns.values(of: key), over: former, on: connection)
        knownKeys.note(key, as: key.instanceID)
    }

    func removePendingKey(of instance: InstanceID) throws {
        try connection.execute("DELETE FROM pending_key WHERE instance_id = $1", [.blob(instance.bytes)])
        knownKeys.note(nil, as: instance)
    }
}
