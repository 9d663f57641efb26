import Database
import OstiaryProtocol
import SecondFactor
import Testing

@testable import SecondFactorServer

@Suite("Rows of the second factor: what was saved over another is found, and nothing of before")
struct SavedRowsTests {
    private static func bytes(_ byte: UInt8, _ count: Int = 32) -> [UInt8] { [UInt8](repeating: byte, count: count) }
    private static let now = Instant(1_800_000_000)
    private static let id = InstanceID(bytes(1, 16))!
    private static let attemptID = AttemptID(bytes(2, 16))!

    private static func owner(_ byte: UInt8) -> VirtualServer { VirtualServer(id: ServerID(bytes(byte, 16))!, rootHash: bytes(byte)) }

    private static func instances() throws -> [Instance] {
        let counter = try #require(Counter(highest: 9, proven: 8, provenByPIN: 7, penaltyUntil: now + 30, lastSeen: now + 1))
        return [
            Instance(
                id: id, owner: owner(3), deviceKeys: [bytes(4, 65), bytes(5, 65)], biometricKey: bytes(6, 65), epoch: 2,
                state: .open(.init(secondFactorKey: bytes(7), evaluationKey: WrappedKey(bytes(8, 65)))), counter: counter, withoutPIN: 3,
                lastPIN: now, lastReset: now - 9),
            Instance(
                id: id, owner: owner(9), deviceKeys: [bytes(5, 65)], epoch: 3, state: .closed, counter: Counter(at: now + 5), withoutPIN: 0,
                lastPIN: now + 7),
        ]
    }

    private static func attempt(_ byte: UInt8, _ state: AttemptRecord.State) -> AttemptRecord {
        let n = UInt64(byte)
        return AttemptRecord(
            id: attemptID, instanceID: InstanceID(bytes(byte, 16))!, owner: owner(byte), sessionHash: bytes(byte),
            purpose: byte == 4
                ? .pinChangeSet(voucher: AttemptID(bytes(byte, 16))!)
                : byte == 5 ? .biometricsAdd(key: bytes(byte, 65)) : .firstSet(deviceKey: bytes(byte, 65)),
            epoch: UInt32(byte), blindedHash: bytes(byte), sequence: n, madeAt: now + n, reservedAt: now + n, expiresAt: now + 300 + n,
            tries: Tries(failed: byte, most: byte, wait: UInt32(byte), withoutPINLeft: UInt16(byte)), newEvaluationKey: byte == 4 ? bytes(byte) : nil,
            vouchedBy: byte == 4 ? [.pin, .bio] : nil, state: state)
    }

    private static let attempts = [
        attempt(4, .reserved), attempt(5, .superseded),
        attempt(6, .done(.init(method: .bio, at: now + 3, signatureHash: bytes(7), receipt: bytes(8, 297)))),
        attempt(4, .done(.init(method: [.pin, .bio], at: now + 4, signatureHash: [], receipt: bytes(9, 297)))),
    ]

    private static let keys = [UInt8(4), 5].map { byte in
        PendingKey(
            instanceID: id, owner: owner(byte), attemptID: AttemptID(bytes(byte, 16))!, deviceKey: bytes(byte, 65),
            evaluationKey: WrappedKey(bytes(byte, 65)), expiresAt: now + UInt64(byte))
    }

    /// Each value takes the place of the one before, which its transaction has not met, has read, or has saved itself.
    private func saves<Value: Equatable & Sendable>(
        _ values: [Value], as change: @Sendable @escaping (Value) -> Change, found: @Sendable @escaping (SQLRows) throws -> Value?
    ) async throws {
        let database = try openInMemory()
        try await database.migrate(secondFactorMigrations)
        for way in 0..<3 {
            var last = values[0]
            for value in values + values.reversed() {
                let before = last
                let after = try await database.transaction { connection in
                    let rows = SQLRows(connection)
                    if way == 1 { _ = try found(rows) }
                    if way == 2 { try rows.make(change(before)) }
                    try rows.make(change(value))
                    return try found(rows)
                }
                #expect(after == value)
                #expect(try await database.read { try found(SQLRows($0)) } == value, "way \(way)")
                last = value
            }
        }
    }

    @Test("An instance, an attempt, a key that waits for its first proof")
    func saved() async throws {
        try await saves(try Self.instances(), as: { .saveInstance($0) }, found: { try $0.instance(Self.id) })
        try await saves(Self.attempts, as: { .saveAttempt($0) }, found: { try $0.attempt(Self.attemptID) })
        try await saves(Self.keys, as: { .hold($0) }, found: { try $0.pendingKey(of: Self.id) })
    }

    @Test("What is dropped, superseded or forgotten by its name alone is found so in the same transaction")
    func changedByName() async throws {
        let database = try openInMemory()
        try await database.migrate(secondFactorMigrations)
        let (attempt, key) = (Self.attempts[0], Self.keys[0])
        try await database.transaction { connection in
            let rows = SQLRows(connection)
            try rows.make(.saveAttempt(attempt))
            try rows.make(.hold(key))
            try rows.make(.supersede(attempt.id))
            #expect(try rows.attempt(attempt.id)?.state == .superseded)
            try rows.make(.dropPending(key.instanceID))
            #expect(try rows.pendingKey(of: key.instanceID) == nil)
            try rows.make(.hold(key))
            try rows.make(.forgetAttempts(of: attempt.instanceID))
            #expect(try rows.attempt(attempt.id) == nil)
            try rows.make(.saveAttempt(attempt))
            #expect(try rows.removeExpired(at: Self.now + 9_999, limit: 9) == 2)
            #expect(try rows.attempt(attempt.id) == nil)
            #expect(try rows.pendingKey(of: key.instanceID) == nil)
        }
    }
}
