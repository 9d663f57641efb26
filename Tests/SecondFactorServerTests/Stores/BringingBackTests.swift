import Database
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import SecondFactor
@testable import SecondFactorServer

@Suite("Second-factor store: what lies ahead of the clock is looked for in batches, beside those who write")
struct BringingBackTests {
    private let messages = CheckedMessages("ahead")
    private var now: Instant { messages.now }

    /// So many, in the order of their ids, each of which was seen last when `seen` says.
    private func instances(_ count: UInt64, seen: (UInt64) -> Instant) -> [Instance] {
        let ids = (0..<count).map { InstanceID(using: SeededRandom("instance \($0)")) }.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        return zip(UInt64(0)..., ids).map { number, id in
            let random = SeededRandom("keys \(number)")
            let keys = Instance.EpochKeys(secondFactorKey: random.bytes(32), evaluationKey: WrappedKey(random.bytes(65)))
            return Instance(
                id: id, owner: messages.owner, deviceKeys: [random.bytes(65)], epoch: 1, state: .open(keys), counter: Counter(at: seen(number)),
                withoutPIN: 0, lastPIN: seen(number))
        }
    }

    private func save(_ instances: [Instance], in store: any SecondFactorStore) async throws {
        try await store.write { rows in for instance in instances { try rows.save(instance) } }
    }

    private func read(_ ids: [InstanceID], in store: any SecondFactorStore) async throws -> [Instance] {
        try await store.read { rows in try ids.compactMap { try rows.instance($0) } }
    }

    @Test("All of them are looked at, and those that lie ahead are as if they had been written now", arguments: StoreBackend.allCases)
    func all(on backend: StoreBackend) async throws {
        try await backend.run { service in
            let stored = instances(450) { $0.isMultiple(of: 3) ? now + 864_000 : now - $0 }
            try await save(stored, in: service.store)
            _ = try await service.bringBack(at: now)
            var rounds: [Int] = []
            var moment = now + 120
            while true {
                let round = try await service.bringBack(at: moment)
                rounds.append(round.rewritten)
                guard round.isMore else { break }
                moment = moment + 10
            }
            #expect(rounds == [67, 67, 16])
            for (number, instance) in zip(0..., try await read(stored.map(\.id), in: service.store)) {
                let written = now + 120 + 10 * UInt64(number / 200)
                #expect(instance.counter.lastSeen == (number.isMultiple(of: 3) ? written : now - UInt64(number)))
                #expect(instance.lastPIN == instance.counter.lastSeen && instance.state == stored[number].state)
            }
            let again = try await service.bringBack(at: moment + 10)
            #expect(again.rewritten == 0 && !again.isMore)
        }
    }

    @Test("A batch that is just full is not the last one, and none at all is", arguments: [StoreBackend.values, .sqliteInMemory])
    func full(on backend: StoreBackend) async throws {
        try await backend.run { service in
            let stored = instances(200) { _ in now + 864_000 }
            try await save(stored, in: service.store)
            _ = try await service.bringBack(at: now)
            let first = try await service.bringBack(at: now + 120)
            let second = try await service.bringBack(at: now + 120)
            #expect(first.rewritten == 200 && first.isMore && second.rewritten == 0 && !second.isMore)
        }
        try await backend.run { service in
            _ = try await service.bringBack(at: now)
            let none = try await service.bringBack(at: now + 120)
            #expect(none.rewritten == 0 && !none.isMore)
        }
    }

    @Test("Who writes waits only for what lies ahead: a batch in which nothing does takes no turn to write")
    func turns() async throws {
        let database = LosingDatabase(try openInMemory())
        try await database.migrate(secondFactorMigrations)
        let service = SecondFactorService(
            trustedRoots: [], store: SQLSecondFactorStore(database: database), policy: .standard,
            evaluator: CountingEvaluator(keyEncryptionKey: .random()))
        try await save(instances(650) { $0 == 205 ? now + 864_000 : now }, in: service.store)
        database.lose(.none)
        _ = try await service.bringBack(at: now)
        var rounds: [Int] = []
        while try await service.bringBack(at: now + 120).isMore { rounds.append(database.transactions) }
        #expect(rounds == [0, 1, 1] && database.transactions == 1)
    }

    @Test("What is written while they are looked at is not taken for ahead: each batch goes by its own time")
    func meanwhile() async throws {
        try await StoreBackend.sqliteInMemory.run { service in
            let stored = instances(250) { _ in now }
            try await save(stored, in: service.store)
            _ = try await service.bringBack(at: now)
            #expect(try await service.bringBack(at: now + 120).isMore)
            var penalised = try #require(stored.last)
            penalised.counter = try #require(
                Counter(highest: 4, proven: 0, provenByPIN: 0, penaltyUntil: now + 500, lastSeen: now + 200))
            try await save([penalised], in: service.store)
            let last = try await service.bringBack(at: now + 201)
            #expect(last.rewritten == 0 && !last.isMore)
            #expect(try await read([penalised.id], in: service.store) == [penalised])
        }
    }
}
