import Database
import OstiaryProtocol
import SecondFactor

extension SecondFactorRows {
    func make(_ change: Change) throws {
        switch change {
        case .saveInstance(let instance): try save(instance)
        case .saveAttempt(let attempt): try save(attempt)
        case .hold(let key): try save(key)
        case .dropPending(let id):
            try connection.execute("DELETE FROM pending_key WHERE instance_id = $1", [.blob(id.bytes)])
            knownKeys.note(nil, as: id)
        case .supersede(let id):
            try connection.execute(
                "UPDATE attempt SET state = $2, evaluation = NULL WHERE id = $1", [.blob(id.bytes), SQLValue(StoredState.superseded.rawValue)])
            knownAttempts.forget()
        case .forgetAttempts(let id):
            try connection.execute("DELETE FROM attempt WHERE instance_id = $1", [.blob(id.bytes)])
            knownAttempts.forget()
        case .log(let record): try append(record)
        }
    }

    private func save(_ instance: Instance) throws {
        let former = knownInstances.former(instance.id).map(InstanceColumns.values)
        try InstanceColumns.table.save(InstanceColumns.values(of: instance), over: former, on: connection)
        knownInstances.note(instance, as: instance.id)
    }

    private func save(_ attempt: AttemptRecord) throws {
        let former = knownAttempts.former(attempt.id).map(AttemptColumns.values)
        try AttemptColumns.table.save(AttemptColumns.values(of: attempt), over: former, on: connection)
        knownAttempts.note(attempt, as: attempt.id)
    }

    /// The former key of the instance is overwritten in its row.
    private func save(_ key: PendingKey) throws {
        let former = knownKeys.former(key.instanceID).map(PendingKeyColumns.values)
        try PendingKeyColumns.table.save(PendingKeyColumns.values(of: key), over: former, on: connection)
        knownKeys.note(key, as: key.instanceID)
    }

    private func append(_ record: ResetRecord) throws {
        try connection.execute(
            """
            INSERT INTO reset_log (instance_id, server_id, granted_at, message_time, highest, proven) VALUES ($1, $2, $3, $4, $5, $6)
            """,
            [
                .blob(record.instanceID.bytes), .blob(record.serverID.bytes), SQLValue(record.grantedAt.seconds),
                SQLValue(record.messageTime?.seconds), SQLValue(record.highest), SQLValue(record.proven),
            ])
    }
}
