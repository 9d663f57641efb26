import Database
import OstiaryProtocol
import SecondFactor

/// A row that this program cannot have written.
enum StoredRowError: Error, Equatable {
    case instance, attempt, pendingKey, reset
}

/// How the state of an attempt is written.
enum StoredState: Int {
    case reserved = 0
    case superseded = 1
    case done = 2

    init(_ state: AttemptRecord.State) {
        switch state {
        case .reserved: self = .reserved
        case .superseded: self = .superseded
        case .done: self = .done
        }
    }
}

extension Instance {
    init(_ row: SQLRow) throws {
        let deviceKeys = try row.blob("device_keys")
        guard let id = InstanceID(try row.blob("id")), let epoch = UInt32(exactly: try row.integer("epoch")),
            let withoutPIN = UInt16(exactly: try row.integer("without_pin")), deviceKeys.count.isMultiple(of: DevicePublicKey.count),
            let counter = Counter(
                highest: try row.unsigned("highest"), proven: try row.unsigned("proven"), provenByPIN: try row.unsigned("proven_by_pin"),
                penaltyUntil: Instant(try row.unsigned("penalty_until")), lastSeen: Instant(try row.unsigned("last_seen")))
        else { throw StoredRowError.instance }
        var state = State.closed
        if let key = try row.optionalBlob("second_factor_key"), let evaluationKey = try row.optionalBlob("evaluation_key") {
            state = .open(EpochKeys(secondFactorKey: key, evaluationKey: WrappedKey(evaluationKey)))
        }
        self.init(
            id: id, owner: try VirtualServer(row, orThrow: .instance),
            deviceKeys: stride(from: 0, to: deviceKeys.count, by: DevicePublicKey.count).map { Array(deviceKeys[$0..<$0 + DevicePublicKey.count]) },
            biometricKey: try row.optionalBlob("biometric_key"), epoch: epoch, state: state, counter: counter, withoutPIN: withoutPIN,
            lastPIN: Instant(try row.unsigned("last_pin")), lastReset: Instant(try row.unsigned("last_reset")))
    }
}

extension AttemptRecord {
    var completion: Completion? {
        guard case .done(let completion) = state else { return nil }
        return completion
    }

    init(_ row: SQLRow) throws {
        guard let id = AttemptID(try row.blob("id")), let instanceID = InstanceID(try row.blob("instance_id")),
            let epoch = UInt32(exactly: try row.integer("epoch")), let failed = UInt8(exactly: try row.integer("failed")),
            let most = UInt8(exactly: try row.integer("most")), let wait = UInt32(exactly: try row.integer("wait")),
            let left = UInt16(exactly: try row.integer("without_pin_left"))
        else { throw StoredRowError.attempt }
        self.init(
            id: id, instanceID: instanceID, owner: try VirtualServer(row, orThrow: .attempt), sessionHash: try row.blob("session_hash"),
            purpose: try Purpose(row), epoch: epoch, blindedHash: try row.blob("blinded_hash"), sequence: try row.unsigned("sequence"),
            madeAt: Instant(try row.unsigned("made_at")), reservedAt: Instant(try row.unsigned("reserved_at")),
            expiresAt: Instant(try row.unsigned("expires_at")),
            tries: Tries(failed: failed, most: most, wait: wait, withoutPINLeft: left),
            newEvaluationKey: try row.optionalBlob("new_evaluation_key"),
            vouchedBy: try row.optionalUnsigned("vouched_by").map { Methods(rawValue: UInt8(truncatingIfNeeded: $0)) },
            state: try State(row))
    }
}

extension AttemptRecord.State {
    fileprivate init(_ row: SQLRow) throws {
        switch StoredState(rawValue: try row.int("state")) {
        case .reserved: self = .reserved
        case .superseded: self = .superseded
        case .done: self = .done(try AttemptRecord.Completion(row))
        case nil: throw StoredRowError.attempt
        }
    }
}

extension AttemptRecord.Completion {
    fileprivate init(_ row: SQLRow) throws {
        guard let method = UInt8(exactly: try row.integer("method")) else { throw StoredRowError.attempt }
        self.init(
            method: Methods(rawValue: method), at: Instant(try row.unsigned("proved_at")), signatureHash: try row.blob("signature_hash"),
            receipt: try row.blob("receipt"))
    }
}

extension Purpose {
    fileprivate init(_ row: SQLRow) throws {
        guard let number = UInt8(exactly: try row.integer("context")), let context = SecondFactorContext(rawValue: number) else {
            throw StoredRowError.attempt
        }
        switch context {
        case .verify: self = .verify
        case .firstSet: self = .firstSet(deviceKey: try row.blob("device_key"))
        case .enrol: self = .enrol(deviceKey: try row.blob("device_key"))
        case .biometricsAdd: self = .biometricsAdd(key: try row.blob("biometric_key"))
        case .biometricsRemove: self = .biometricsRemove(key: try row.blob("biometric_key"))
        case .pinChangeVerify: self = .pinChangeVerify
        case .pinChangeSet:
            guard let voucher = AttemptID(try row.blob("voucher")) else { throw StoredRowError.attempt }
            self = .pinChangeSet(voucher: voucher)
        }
    }
}

extension PendingKey {
    init(_ row: SQLRow) throws {
        guard let instanceID = InstanceID(try row.blob("instance_id")), let attemptID = AttemptID(try row.blob("attempt_id")) else {
            throw StoredRowError.pendingKey
        }
        self.init(
            instanceID: instanceID, owner: try VirtualServer(row, orThrow: .pendingKey), attemptID: attemptID,
            deviceKey: try row.blob("device_key"), evaluationKey: WrappedKey(try row.blob("evaluation_key")),
            expiresAt: Instant(try row.unsigned("expires_at")))
    }
}

extension ResetRecord {
    init(_ row: SQLRow) throws {
        guard let instanceID = InstanceID(try row.blob("instance_id")), let serverID = ServerID(try row.blob("server_id")) else {
            throw StoredRowError.reset
        }
        self.init(
            instanceID: instanceID, serverID: serverID, grantedAt: Instant(try row.unsigned("granted_at")),
            messageTime: try row.optionalUnsigned("message_time").map(Instant.init), highest: try row.unsigned("highest"),
            proven: try row.unsigned("proven"))
    }
}

extension VirtualServer {
    fileprivate init(_ row: SQLRow, orThrow error: StoredRowError) throws {
        guard let id = ServerID(try row.blob("server_id")) else { throw error }
        self.init(id: id, rootHash: try row.blob("server_root"))
    }
}
