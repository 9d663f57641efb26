import Database
import OstiaryProtocol
import SecondFactor

extension SecondFactorRows {
    func make(_ change: Change) throws {
        switch change {
        case .saveInstance(let instance): try save(instance)
        case .saveAttempt(let attempt): try save(attempt)
        case .hold(let key): try save(key)
        case .dropPending(let id): try connection.execute("DELETE FROM pending_key WHERE instance_id = $1", [.blob(id.bytes)])
        case .supersede(let id):
            try connection.execute(
                "UPDATE attempt SET state = $2, evaluation = NULL WHERE id = $1", [.blob(id.bytes), SQLValue(StoredState.superseded.rawValue)])
        case .forgetAttempts(let id): try connection.execute("DELETE FROM attempt WHERE instance_id = $1", [.blob(id.bytes)])
        case .log(let record): try append(record)
        }
    }

    private func save(_ instance: Instance) throws {
        let counter = instance.counter
        try connection.execute(
            """
            INSERT INTO instance (id, server_id, server_root, device_keys, epoch, second_factor_key, evaluation_key, highest, proven,
                proven_by_pin, penalty_until, last_seen, without_pin, last_pin, biometric_key, last_reset)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
            ON CONFLICT (id) DO UPDATE SET device_keys = excluded.device_keys, epoch = excluded.epoch,
                second_factor_key = excluded.second_factor_key, evaluation_key = excluded.evaluation_key, highest = excluded.highest,
                proven = excluded.proven, proven_by_pin = excluded.proven_by_pin, penalty_until = excluded.penalty_until,
                last_seen = excluded.last_seen, without_pin = excluded.without_pin, last_pin = excluded.last_pin,
                biometric_key = excluded.biometric_key, last_reset = excluded.last_reset
            """,
            [
                .blob(instance.id.bytes), .blob(instance.owner.id.bytes), .blob(instance.owner.rootHash),
                .blob(instance.deviceKeys.flatMap { $0 }), .integer(Int64(instance.epoch)), SQLValue(instance.openKeys?.secondFactorKey),
                SQLValue(instance.openKeys?.evaluationKey.bytes), SQLValue(counter.highest), SQLValue(counter.proven),
                SQLValue(counter.provenByPIN), SQLValue(counter.penaltyUntil.seconds), SQLValue(counter.lastSeen.seconds),
                .integer(Int64(instance.withoutPIN)), SQLValue(instance.lastPIN.seconds), SQLValue(instance.biometricKey),
                SQLValue(instance.lastReset.seconds),
            ])
    }

    private func save(_ attempt: AttemptRecord) throws {
        let state = StoredState(attempt.state)
        let completion = attempt.completion
        try connection.execute(
            """
            INSERT INTO attempt (id, instance_id, server_id, server_root, session_hash, context, device_key, epoch, blinded_hash, sequence,
                reserved_at, expires_at, failed, most, wait, without_pin_left, new_evaluation_key, evaluation, state, signature_hash, receipt,
                biometric_key, voucher, vouched_by, made_at, method, proved_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26,
                $27)
            ON CONFLICT (id) DO UPDATE SET evaluation = excluded.evaluation, state = excluded.state,
                signature_hash = excluded.signature_hash, receipt = excluded.receipt, method = excluded.method, proved_at = excluded.proved_at
            """,
            [
                .blob(attempt.id.bytes), .blob(attempt.instanceID.bytes), .blob(attempt.owner.id.bytes), .blob(attempt.owner.rootHash),
                .blob(attempt.sessionHash), SQLValue(Int(attempt.purpose.context.rawValue)), SQLValue(attempt.purpose.deviceKey),
                .integer(Int64(attempt.epoch)), .blob(attempt.blindedHash), SQLValue(attempt.sequence), SQLValue(attempt.reservedAt.seconds),
                SQLValue(attempt.expiresAt.seconds), SQLValue(Int(attempt.tries.failed)), SQLValue(Int(attempt.tries.most)),
                SQLValue(Int(attempt.tries.wait)), SQLValue(Int(attempt.tries.withoutPINLeft)), SQLValue(attempt.newEvaluationKey),
                SQLValue(attempt.evaluation), SQLValue(state.rawValue), SQLValue(completion?.signatureHash), SQLValue(completion?.receipt),
                SQLValue(attempt.purpose.biometricKey), SQLValue(attempt.purpose.voucher?.bytes),
                SQLValue(attempt.vouchedBy.map { Int64($0.rawValue) }),
                SQLValue(attempt.madeAt.seconds), SQLValue(Int((completion?.method ?? .pin).rawValue)), SQLValue(completion?.at.seconds ?? 0),
            ])
    }

    /// The former key of the instance is overwritten in its row.
    private func save(_ key: PendingKey) throws {
        try connection.execute(
            """
            INSERT INTO pending_key (instance_id, server_id, server_root, attempt_id, device_key, evaluation_key, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (instance_id) DO UPDATE SET server_id = excluded.server_id, server_root = excluded.server_root,
                attempt_id = excluded.attempt_id, device_key = excluded.device_key, evaluation_key = excluded.evaluation_key,
                expires_at = excluded.expires_at
            """,
            [
                .blob(key.instanceID.bytes), .blob(key.owner.id.bytes), .blob(key.owner.rootHash), .blob(key.attemptID.bytes),
                .blob(key.deviceKey), .blob(key.evaluationKey.bytes), SQLValue(key.expiresAt.seconds),
            ])
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
