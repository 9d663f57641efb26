import Database
import OstiaryProtocol
import SecondFactor

extension SQLRows {
    func attempt(_ id: AttemptID) throws -> AttemptRecord? {
        try knownAttempts.row(id) {
            try connection.one(AttemptColumns.table.selection + "WHERE id = $1", [.blob(id.bytes)]).map { try AttemptRecord($0) }
        }
    }

    func save(_ attempt: AttemptRecord) throws {
        try knownAttempts.save(attempt, as: attempt.id, values: AttemptColumns.values, by: AttemptColumns.table.saver(on: connection))
    }

    /// Takes along an evaluation that a program of before decision 0062 kept.
    func supersede(_ attempt: AttemptID) throws {
        try connection.write(
            "UPDATE attempt SET state = $2, evaluation = NULL WHERE id = $1", [.blob(attempt.bytes), SQLValue(StoredState.superseded.rawValue)])
        knownAttempts.forget()
    }

    func removeAttempts(of instance: InstanceID) throws {
        try connection.write("DELETE FROM attempt WHERE instance_id = $1", [.blob(instance.bytes)])
        knownAttempts.forget()
    }
}
