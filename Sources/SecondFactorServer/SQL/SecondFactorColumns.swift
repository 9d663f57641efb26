import Database
import OstiaryProtocol
import SecondFactor

/// An instance as columns.
enum InstanceColumns {
    static let table = SQLTable(
        "instance", key: ["id"],
        columns: [
            "server_id", "server_root", "device_keys", "epoch", "second_factor_key", "evaluation_key", "highest", "proven", "proven_by_pin",
            "penalty_until", "last_seen", "without_pin", "last_pin", "biometric_key", "last_reset",
        ])

    static func values(of instance: Instance) -> [SQLValue] {
        let counter = instance.counter
        return [
            .blob(instance.id.bytes), .blob(instance.owner.id.bytes), .blob(instance.owner.rootHash), .blob(instance.deviceKeys.flatMap { $0 }),
            SQLValue(number: instance.epoch), SQLValue(instance.openKeys?.secondFactorKey), SQLValue(instance.openKeys?.evaluationKey.bytes),
            SQLValue(counter.highest), SQLValue(counter.proven), SQLValue(counter.provenByPIN), SQLValue(counter.penaltyUntil.seconds),
            SQLValue(counter.lastSeen.seconds), SQLValue(number: instance.withoutPIN), SQLValue(instance.lastPIN.seconds),
            SQLValue(instance.biometricKey), SQLValue(instance.lastReset.seconds),
        ]
    }
}

/// An attempt as columns. The table has one more, `evaluation`, for programs of before decision 0062.
enum AttemptColumns {
    static let table = SQLTable(
        "attempt", key: ["id"],
        columns: [
            "instance_id", "server_id", "server_root", "session_hash", "context", "device_key", "epoch", "blinded_hash", "sequence", "reserved_at",
            "expires_at", "failed", "most", "wait", "without_pin_left", "new_evaluation_key", "state", "signature_hash", "receipt",
            "biometric_key", "voucher", "vouched_by", "made_at", "method", "proved_at",
        ])

    static func values(of attempt: AttemptRecord) -> [SQLValue] {
        let completion = attempt.completion
        return [
            .blob(attempt.id.bytes), .blob(attempt.instanceID.bytes), .blob(attempt.owner.id.bytes), .blob(attempt.owner.rootHash),
            .blob(attempt.sessionHash), SQLValue(number: attempt.purpose.context.rawValue), SQLValue(attempt.purpose.deviceKey),
            SQLValue(number: attempt.epoch), .blob(attempt.blindedHash), SQLValue(attempt.sequence), SQLValue(attempt.reservedAt.seconds),
            SQLValue(attempt.expiresAt.seconds), SQLValue(number: attempt.tries.failed), SQLValue(number: attempt.tries.most),
            SQLValue(number: attempt.tries.wait), SQLValue(number: attempt.tries.withoutPINLeft), SQLValue(attempt.newEvaluationKey),
            SQLValue(StoredState(attempt.state).rawValue), SQLValue(completion?.signatureHash),
            SQLValue(completion?.receipt), SQLValue(attempt.purpose.biometricKey), SQLValue(attempt.purpose.voucher?.bytes),
            SQLValue(attempt.vouchedBy), SQLValue(attempt.madeAt.seconds), SQLValue(completion?.method ?? .pin),
            SQLValue(completion?.at.seconds ?? 0),
        ]
    }
}

/// A pending key as columns.
enum PendingKeyColumns {
    static let table = SQLTable(
        "pending_key", key: ["instance_id"],
        columns: ["server_id", "server_root", "attempt_id", "device_key", "evaluation_key", "expires_at"])

    static func values(of key: PendingKey) -> [SQLValue] {
        [
            .blob(key.instanceID.bytes), .blob(key.owner.id.bytes), .blob(key.owner.rootHash), .blob(key.attemptID.bytes), .blob(key.deviceKey),
            .blob(key.evaluationKey.bytes), SQLValue(key.expiresAt.seconds),
        ]
    }
}
