import Database
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import SecondFactor
@testable import SecondFactorServer

@Suite("Second-factor store: what ran out goes in batches, so that no try waits for all of it")
struct ExpiryBatchTests {
    private let messages = CheckedMessages("batches")
    private var now: Instant { messages.now }

    private func attempt(_ number: UInt64) -> AttemptRecord {
        let random = SeededRandom("attempt \(number)")
        return AttemptRecord(
            id: AttemptID(using: random), instanceID: messages.instanceID, owner: messages.owner, sessionHash: random.bytes(32), purpose: .verify,
            epoch: 1, blindedHash: random.bytes(32), sequence: number, madeAt: now, reservedAt: now, expiresAt: now + 600,
            tries: Tries(failed: 1, most: 5, wait: 0, withoutPINLeft: 100), state: .reserved)
    }

    private func key(_ number: UInt64) -> PendingKey {
        let random = SeededRandom("key \(number)")
        return PendingKey(
            instanceID: InstanceID(using: random), owner: messages.owner, attemptID: AttemptID(using: random), deviceKey: random.bytes(65),
            evaluationKey: WrappedKey(random.bytes(65)), expiresAt: now + 600)
    }

    private func save(attempts attemptCount: UInt64, keys keyCount: UInt64, in store: any SecondFactorStore) async throws {
        let (attempts, keys) = ((0..<attemptCount).map(attempt), (0..<keyCount).map(key))
        try await store.write { rows in
            for attempt in attempts { try rows.save(attempt) }
            for key in keys { try rows.save(key) }
        }
    }

    @Test("Of attempts and pending keys together no more than was allowed", arguments: [StoreBackend.values, .sqliteInMemory, .sqliteFile])
    func limit(on backend: StoreBackend) async throws {
        try await backend.run { service in
            try await save(attempts: 6, keys: 3, in: service.store)
            let later = now + 600
            var removed: [Int] = []
            for _ in 0..<4 { removed.append(try await service.store.write { rows in try rows.removeExpired(at: later, limit: 4) }) }
            #expect(removed == [4, 4, 1, 0])
        }
    }

    @Test("A run goes on until nothing is left, a few hundred rows in each of its transactions")
    func run() async throws {
        let database = LosingDatabase(try openInMemory())
        try await database.migrate(secondFactorMigrations)
        let service = SecondFactorService(
            trustedRoots: [], store: SQLSecondFactorStore(database: database), policy: .standard,
            evaluator: CountingEvaluator(keyEncryptionKey: .random()))
        try await save(attempts: 430, keys: 20, in: service.store)
        database.lose(.none)
        #expect(try await service.deleteExpired(at: now + 599).deleted == 0)
        #expect(database.transactions == 1)
        #expect(try await service.deleteExpired(at: now + 600).deleted == 450)
        #expect(database.transactions == 4)
    }

    @Test("After each full batch, and no other, it rests, and what the rest throws ends the run", arguments: [(399, 1), (400, 2), (401, 2)])
    func rests(_ rows: UInt64, _ count: Int) async throws {
        try await StoreBackend.values.run { service in
            try await save(attempts: rows, keys: 0, in: service.store)
            let rests = Mutex(0)
            let run = try await service.deleteExpired(at: now + 600) { rests.withLock { $0 += 1 } }
            #expect(rests.withLock { $0 } == count && run.deleted == Int(rows) && !run.isMore)
        }
        try await StoreBackend.values.run { service in
            try await save(attempts: rows, keys: 0, in: service.store)
            await #expect(throws: CancellationError.self) { try await service.deleteExpired(at: now + 600) { throw CancellationError() } }
            #expect(try await service.deleteExpired(at: now + 600).deleted == Int(rows) - 200)
        }
    }

    private func reset(_ number: UInt64, after seconds: UInt64) -> ResetRecord {
        ResetRecord(
            instanceID: messages.instanceID, serverID: messages.owner.id, grantedAt: now + seconds, messageTime: now + seconds, highest: number,
            proven: 1)
    }

    @Test(
        "Resets are kept for ever, or for so long; what the limit of a day asks for is there for a day, whatever is said",
        arguments: StoreBackend.allCases.filter { !$0.losesCommits })
    func resets(on backend: StoreBackend) async throws {
        try await backend.run { service in
            // The third was written by a clock that ran ahead.
            let resets = [0, 10, 999_999, 20].enumerated().map { reset(UInt64($0.offset), after: $0.element) }
            try await service.store.write { rows in for reset in resets { try rows.add(reset) } }
            func left() async throws -> [UInt64] {
                try await service.store.read { rows in try rows.resets(of: messages.instanceID, since: Instant(0)).map(\.highest) }
            }
            _ = try await service.deleteExpired(at: now + 9_999_999)
            #expect(try await left() == [0, 1, 2, 3])
            _ = try await service.deleteExpired(at: now + 200_010, resetRetention: 200_000)
            #expect(try await left() == [1, 2, 3])
            // Nobody can say an hour.
            _ = try await service.deleteExpired(at: now + 86_410, resetRetention: 3_600)
            #expect(try await left() == [1, 2, 3])
            _ = try await service.deleteExpired(at: now + 86_411, resetRetention: 3_600)
            #expect(try await left() == [2, 3])
        }
    }

    @Test("Where every commit is lost once the run ends no earlier", arguments: LosingDatabase.Loss.allCases)
    func lost(_ loss: LosingDatabase.Loss) async throws {
        try await (loss == .kept ? StoreBackend.lostAndKept : .lostAndGone).run { service in
            try await save(attempts: 450, keys: 0, in: service.store)
            #expect(try await service.deleteExpired(at: now + 600).deleted > 0)
            #expect(try await service.deleteExpired(at: now + 600).deleted == 0)
        }
    }
}
